import type { Contract, Operation } from '@carte/operations/contract/contract';
import type { SetFiles } from '@carte/operations/contract/folders';
import { errorAt, readSets, type SetLimits } from '@carte/operations/contract/sets';
import {
  type ArgumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Config } from '../config.ts';
import { readFieldCosts } from '../graphql/field-costs.ts';
import { createLimitCheck, defaultQueryLimits } from '../graphql/limits.ts';
import { parseDocument } from '../graphql/parse-document.ts';
import { analyzeOperation } from '../graphql/query-cost.ts';
import { isReserved, readBuiltInSets, readOwnSets } from '../rest/sets.ts';

type OperationSettings = Pick<Config, 'operations' | 'graphqlLimits'>;

/** Loads all sets of operations, those of the operator with their limits checked; throws with every error. */
export function loadOperations(
  schema: GraphQLSchema,
  { operations: folders, graphqlLimits }: OperationSettings,
  operatorSets: readonly SetFiles[] = readOwnSets(folders),
): readonly Contract[] {
  return readSets(schema, [...readBuiltInSets(), ...operatorSets], createSetLimits(schema, graphqlLimits));
}

/** Creates the limits on sets of operations: those of `/graphql`, except that bodies have as many aliases as fields. */
export function createSetLimits(schema: GraphQLSchema, graphqlLimits: Config['graphqlLimits']): SetLimits {
  const checkLimits = createLimitCheck(schema, { ...graphqlLimits, aliases: defaultQueryLimits.selections });
  const largestCost = createLargestCost(schema);
  return {
    parse: source => parseDocument(source),
    // Without variables: `checkCosts` knows their bounds.
    check: (document, operationName) => checkLimits(document, operationName, {}).errors,
    isReserved,
    checkCosts: contract => [...checkCosts(contract, largestCost, graphqlLimits.cost)],
  };
}

type LargestCost = ReturnType<typeof createLargestCost>;

/** Every length that a caller chooses is bounded, and no request of an operator's set can exceed the limit. */
function* checkCosts(
  { operations, isBuiltIn }: Contract,
  largestCost: LargestCost,
  limit: number,
): Generator<GraphQLError> {
  for (const operation of operations) {
    const { cost, unbounded } = largestCost(operation);
    for (const node of unbounded) {
      const message = `"${node.name.value}" says how much is loaded, so its variable needs @range(max:), e.g. @range(min: 1, max: 100).`;
      yield new GraphQLError(message, { nodes: node });
    }
    if (isBuiltIn || cost <= limit || unbounded.length > 0) continue;
    const [found, most] = [cost, limit].map(number => number.toLocaleString('en-US'));
    yield errorAt(
      operation,
      `${operation.name} may cost ${found} objects; at most ${most} are allowed. Select less, or lower the max of @range.`,
    );
  }
}

/**
 * Creates the function that computes the most that an operation can cost, by the bounds of its parameters, and finds those without a bound that
 * say how long a list is. Lists among them count as absent.
 */
function createLargestCost(schema: GraphQLSchema) {
  const fieldCosts = readFieldCosts(schema);
  return ({ document, name, parameters }: Operation) => {
    const operation = getOperationAST(document, name);
    if (!operation) throw new Error(`The document has no operation ${name}`);
    const unbounded: ArgumentNode[] = [];
    const variables: Record<string, number> = {};
    const typeInfo = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(typeInfo, {
        Argument(node) {
          const field = typeInfo.getFieldDef();
          const slicing =
            field && fieldCosts.get(field)?.slicingArguments.find(slice => slice.name === node.name.value);
          if (!slicing || slicing.isList || node.value.kind !== Kind.VARIABLE) return;
          const variable = node.value.name.value;
          const parameter = parameters.find(candidate => candidate.name === variable);
          if (parameter?.max === undefined) return void unbounded.push(node);
          // Without the variable, the default of the argument holds.
          const mayBeAbsent = !parameter.required && parameter.defaultValue === undefined;
          const inPlace = mayBeAbsent && typeof slicing.defaultValue === 'number' ? slicing.defaultValue : 0;
          variables[variable] = Math.max(parameter.max, inPlace, variables[variable] ?? 0);
        },
      }),
    );
    return { cost: analyzeOperation(operation, { schema, fieldCosts, document, variables })?.cost ?? 0, unbounded };
  };
}
