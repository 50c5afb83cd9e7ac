import { runInSlices } from '@carte/base/time-slice';
import type { Variables } from '@carte/operations/execution/compile';
import { concatenate, toBuffers } from '@carte/operations/execution/json-writer';
import { compileRenderer } from '@carte/operations/execution/renderer';
import { Rendering } from '@carte/operations/execution/resolve';
import { createFieldCount, fragmentsOf } from '@carte/operations/execution/selected-fields';
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';

/** Renders the response to a query. Throws where an error, or a null that is not allowed, is part of the response. */
export type CompiledQuery = (variables: Variables, context: unknown) => Promise<Buffer>;

export interface QuerySource {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export interface CompiledQueryOptions {
  /** Objects in the lists of a response. */
  readonly maxObjects?: number | undefined;
  /** Whether a field must not be resolved again if the response has an error: its query is not compiled. */
  readonly isResolvedOnce?: (field: GraphQLField<unknown, unknown>) => boolean;
}

/** Bounds what is compiled, of one query and of all: a field takes about a kilobyte. */
const maxFields = 2_000;
const maxCompiledFields = 40_000;

/** What is known of an operation from its first request on. */
interface KnownOperation {
  readonly id: number;
  /** Undefined until it is sent again, and null if it is not to be compiled. */
  plan?: ReturnType<typeof planOf>;
}

const prefix = Buffer.from('{"data":');
const suffix = Buffer.from('}\n');

/**
 * Creates the compilation of queries that are sent again. It returns undefined for all others, which graphql-js is to execute: those that
 * are sent for the first time, unless they are to be compiled at once, mutations, and subscriptions.
 */
export function createCompiledQueries(schema: GraphQLSchema, options: CompiledQueryOptions = {}) {
  const root = schema.getQueryType();
  const operations = new WeakMap<OperationDefinitionNode, KnownOperation>();
  let lastId = 0;
  const compiled = new LRUCache<string, { readonly run: CompiledQuery; readonly fields: number }>({
    maxSize: maxCompiledFields,
    sizeCalculation: ({ fields }) => fields + 10,
  });

  function compile({ document, operation }: QuerySource): CompiledQuery {
    const { selections } = operation.selectionSet;
    if (!root) throw new Error('The schema has no queries');
    const render = compileRenderer(root, { key: 'data', selections }, fragmentsOf(document, schema));
    const { maxObjects = Number.POSITIVE_INFINITY } = options;
    return async (variables, context) => {
      const data = await render({}, new Rendering({ variables, context, schema, maxObjects }));
      return runInSlices(concatenate([prefix, ...toBuffers(data), suffix]));
    };
  }

  return (source: QuerySource, variables: Variables, { isAtOnce = false } = {}): CompiledQuery | undefined => {
    const { operation } = source;
    if (operation.operation !== 'query') return undefined;
    const sent = operations.get(operation);
    const known: KnownOperation = sent ?? { id: ++lastId };
    if (!sent) operations.set(operation, known);
    if (!sent && !isAtOnce) return undefined;
    known.plan ??= planOf(source, schema, options);
    if (!known.plan) return undefined;
    const { fields, conditions } = known.plan;
    // An error wherever it is met.
    if (conditions?.some(name => variables[name] === null)) return undefined;
    const key = `${known.id} ${conditions?.map(name => variables[name])}`;
    let query = compiled.get(key);
    if (!query) {
      query = { run: compile(conditions ? selectBy(variables, source) : source), fields };
      compiled.set(key, query);
    }
    return query.run;
  };
}

function planOf(
  { document, operation: { selectionSet } }: QuerySource,
  schema: GraphQLSchema,
  { isResolvedOnce = () => false }: CompiledQueryOptions,
) {
  const fields = createFieldCount(fragmentsOf(document))(selectionSet.selections);
  if (fields > maxFields) return null;
  const typeInfo = new TypeInfo(schema);
  let isCompiled = true;
  // Names of the variables that `@skip` and `@include` depend on; undefined where the document has neither.
  let conditions: Set<string> | undefined;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      [Kind.FIELD]: () => {
        const field = typeInfo.getFieldDef();
        if (field && isResolvedOnce(field)) isCompiled = false;
      },
      [Kind.DIRECTIVE]: ({ arguments: given = [] }) => {
        conditions ??= new Set();
        for (const { value } of given) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
      },
    }),
  );
  return isCompiled ? { fields, conditions: conditions && [...conditions] } : null;
}

/** The query without what `@skip` and `@include` leave out. What only other operations select may depend on variables that this one does not have. */
function selectBy(variables: Variables, { document, operation }: QuerySource): QuerySource {
  const isLeftOut = ({ directives = [] }: SelectionNode) =>
    directives.some(({ name, arguments: [condition] = [] }) => {
      const { value } = condition ?? {};
      const isTrue =
        value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.BOOLEAN && value.value;
      return isTrue === (name.value === 'skip');
    });
  const enter = (node: SelectionNode) => (isLeftOut(node) ? null : undefined);
  const selected: DocumentNode = visit(document, {
    [Kind.FIELD]: enter,
    [Kind.FRAGMENT_SPREAD]: enter,
    [Kind.INLINE_FRAGMENT]: enter,
  });
  const same = selected.definitions[document.definitions.indexOf(operation)];
  return { document: selected, operation: same as OperationDefinitionNode };
}
