import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { type DocumentLimits, judgeOperation, judgeText } from './limits/judge.ts';
import type { Measure } from './limits/measure.ts';
import { readSizes } from './limits/sizes.ts';
import { tally } from './limits/tally.ts';
import { type Variables, valuesOf } from './limits/values.ts';
import { measureSelection } from './limits/walk.ts';

export { limitCodes } from './limits/judge.ts';

export const defaultDocumentLimits: DocumentLimits = {
  depth: 15,
  introspectionDepth: 20,
  cost: 1_000_000,
  rootFields: 50,
  aliases: 100,
  selections: 2000,
  directives: 10,
};

export interface Verdict {
  /** Everything that is too much; with any, the document must not be executed, and need not be validated. */
  readonly errors: readonly GraphQLError[];
  /** In objects, by the lengths that the schema assumes for its lists. */
  readonly cost: number;
}

/** Says what a parsed document asks for too much of, before anything of it runs. */
export type JudgeDocument = (
  document: DocumentNode,
  operationName: string | undefined,
  variables: Variables,
) => Verdict;

/** The limits on documents. Each verdict takes time that is linear in the text, valid or not. */
export function documentLimits(schema: GraphQLSchema, options: Partial<DocumentLimits> = {}): JudgeDocument {
  const limits = { ...defaultDocumentLimits, ...options };
  const sizes = readSizes(schema);

  function measure(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables) {
    const definitions = document.definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
    const fragments = new Map(definitions.map(fragment => [fragment.name.value, fragment]));
    const terrain = { schema, sizes, fragments, values: valuesOf(operation, variables) };
    return measureSelection(terrain, operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  }

  return (document, operationName, variables) => {
    const errors = [...judgeText(tally(document), limits)];
    // Which operation is meant is for the executor to ask, where it cannot be told.
    const operation = getOperationAST(document, operationName);
    const measured: Measure | undefined = operation ? measure(document, operation, variables) : undefined;
    if (operation) errors.push(...judgeOperation(operation, measured, limits));
    return { errors, cost: measured?.cost ?? 0 };
  };
}
