import { memoize } from '@carte/base/memoize';
import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import type { Variables } from '../execution/compile.ts';
import { createFieldCount, fragmentsOf, keyOf, maxCount } from '../execution/selected-fields.ts';
import { readFieldCosts } from './field-costs.ts';
import { analyzeOperation, type Complexity, type PathField } from './query-cost.ts';

/** Limits on one document, by default. */
export const defaultQueryLimits = {
  /** Levels of nested fields. */
  depth: 15,
  /** Levels of nested fields below `__schema` and `__type`. */
  introspectionDepth: 20,
  /** Objects in the response, by the sizes that the schema declares for its lists. */
  cost: 1_000_000,
  /** The same for a subscription, whose selection is executed for each event. */
  streamCost: 2_000,
  rootFields: 50,
  aliases: 100,
  /** Fields and fragment spreads in the document, all operations included. */
  selections: 2000,
  /** Fields of all operations with their fragments expanded at each spread: what is derived or compiled from a document has this size. */
  expandedFields: 10_000,
  /** On any one node. */
  directives: 10,
  /** Fragment spreads in the document; validation compares fragments that are spread together. */
  spreads: 500,
  /** Selections with the same response name, of which validation compares each with each. */
  repetitions: 500,
  /** Those of them that select fields of an object, which are compared as well: hundreds took a tenth of a second. */
  objectRepetitions: 100,
  /** Literals in the arguments of one field below the root, which are coerced for each object; variables are not. */
  literals: 100,
};

export type QueryLimits = Readonly<typeof defaultQueryLimits>;

type LimitCode =
  | 'QUERY_TOO_DEEP'
  | 'QUERY_TOO_COMPLEX'
  | 'QUERY_TOO_LONG'
  | 'TOO_MANY_ROOT_FIELDS'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_DIRECTIVES'
  | 'TOO_MANY_LITERALS';

/**
 * Creates the check of a parsed document before validation and execution, in time linear in its length, whether it is valid or not. With any
 * error, a limit that is exceeded, it must not be executed, and need not be validated.
 */
export function createLimitCheck(schema: GraphQLSchema, options: Partial<QueryLimits> = {}) {
  const limits = { ...defaultQueryLimits, ...options };
  // Independent of variables, and most documents are sent again.
  const checkOnce = memoize((document: DocumentNode) => checkDocument(document, limits));
  // Throws here, and not in the first request.
  readFieldCosts(schema);
  return (document: DocumentNode, operationName: string | undefined, variables: Variables) => {
    const errors = checkOnce(document);
    // Without it the executor reports that the operation is missing or ambiguous.
    const operation = getOperationAST(document, operationName);
    if (!operation) return { errors, cost: 0 };
    const complexity = analyzeOperation(schema, document, operation, variables);
    return { errors: [...errors, ...checkOperation(operation, complexity, limits)], cost: complexity?.cost ?? 0 };
  };
}

/** Creates the function that computes the cost of an operation that needs no check, such as those of REST routes. */
export function createCostOf(schema: GraphQLSchema) {
  return (document: DocumentNode, operationName: string, variables: Variables): number => {
    const operation = getOperationAST(document, operationName);
    return (operation && analyzeOperation(schema, document, operation, variables)?.cost) ?? 0;
  };
}

/** Checks all operations and fragments of a document, whichever is to be executed. */
export function checkDocument(document: DocumentNode, options: Partial<QueryLimits> = {}): readonly GraphQLError[] {
  const limits = { ...defaultQueryLimits, ...options };
  const errors = [...checkCounts(document, limits)];
  return errors.length > 0 ? errors : [...checkExpansion(document, limits)];
}

function* checkExpansion(document: DocumentNode, limits: QueryLimits): Generator<GraphQLError> {
  const countFields = createFieldCount(fragmentsOf(document));
  let sum = 0;
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    sum = Math.min(sum + countFields(node.selectionSet.selections), maxCount);
    if (sum <= limits.expandedFields) continue;
    const finding = `The document has ${format(sum)} fields when its fragments are expanded`;
    yield limitError('QUERY_TOO_LONG', finding, limits.expandedFields, node);
    return;
  }
}

/** Checks the document as it is written: all its operations and fragments, each once. */
function* checkCounts(document: DocumentNode, limits: QueryLimits): Generator<GraphQLError> {
  const selections = selectionsIn(document);
  if (selections.length > limits.selections) {
    const finding = `The document has ${format(selections.length)} selections`;
    yield limitError('QUERY_TOO_LONG', finding, limits.selections, selections[limits.selections]);
  }
  const spreads = selections.filter(({ kind }) => kind === Kind.FRAGMENT_SPREAD);
  if (spreads.length > limits.spreads) {
    const finding = `The document has ${format(spreads.length)} fragment spreads`;
    yield limitError('QUERY_TOO_LONG', finding, limits.spreads, spreads[limits.spreads]);
  }
  const fields = selections.filter(node => node.kind === Kind.FIELD);
  for (const [nodes, limit, which] of [
    [fields, limits.repetitions, ''],
    [fields.filter(({ selectionSet }) => selectionSet), limits.objectRepetitions, ' with fields'],
  ] as const) {
    const [same, count] = mostOf(Map.groupBy(nodes, keyOf).values(), group => group.length);
    const node = same?.at(-1);
    if (count <= limit) continue;
    const finding = `The document selects ${truncate(node?.name.value ?? '')}${which} ${format(count)} times`;
    yield limitError('QUERY_TOO_LONG', finding, limit, node);
  }
  const aliased = fields.filter(({ alias }) => alias);
  const excess = aliased[limits.aliases];
  if (excess) {
    const name = truncate(excess.alias?.value ?? '');
    const finding = `The document has ${format(aliased.length)} aliases, exceeding the limit at ${name}`;
    yield limitError('TOO_MANY_ALIASES', finding, limits.aliases, excess);
  }
  const [annotated, directives] = mostOf([...document.definitions, ...selections], countDirectives);
  if (directives > limits.directives) {
    const finding = `The document has ${format(directives)} directives on one node`;
    yield limitError('TOO_MANY_DIRECTIVES', finding, limits.directives, annotated);
  }
  const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
  const rootFields = new Set<SelectionNode>(operations.flatMap(({ selectionSet }) => selectionSet.selections));
  const [field, literals] = mostOf(fields, node => (rootFields.has(node) ? 0 : countLiterals(node)));
  if (literals > limits.literals) {
    const finding = `The arguments of ${truncate(field?.name.value ?? '')} have ${format(literals)} literals, for which variables may stand`;
    yield limitError('TOO_MANY_LITERALS', finding, limits.literals, field);
  }
}

function selectionsIn({ definitions }: DocumentNode): SelectionNode[] {
  const selections: SelectionNode[] = [];
  // A stack of its own instead of recursion: the document may nest deeper than the call stack.
  const pending = definitions.flatMap(node => ('selectionSet' in node ? [node.selectionSet] : []));
  for (let set = pending.pop(); set; set = pending.pop()) {
    for (const selection of set.selections) {
      selections.push(selection);
      if ('selectionSet' in selection && selection.selectionSet) pending.push(selection.selectionSet);
    }
  }
  return selections;
}

/** The first of the nodes with the most of something, and how much that is. */
function mostOf<T>(nodes: Iterable<T>, countOf: (node: T) => number): readonly [T | undefined, number] {
  let most: T | undefined;
  let highest = 0;
  for (const node of nodes) {
    const count = countOf(node);
    if (count > highest) [most, highest] = [node, count];
  }
  return [most, highest];
}

function countLiterals({ arguments: given = [] }: FieldNode): number {
  let count = 0;
  const pending: ValueNode[] = given.map(({ value }) => value);
  for (let value = pending.pop(); value; value = pending.pop()) {
    if (value.kind === Kind.LIST) for (const element of value.values) pending.push(element);
    else if (value.kind === Kind.OBJECT) for (const field of value.fields) pending.push(field.value);
    else if (value.kind !== Kind.VARIABLE) count++;
  }
  return count;
}

const countDirectives = (node: DocumentNode['definitions'][number] | SelectionNode): number =>
  ('directives' in node && node.directives?.length) || 0;

/** Checks the operation that is to be executed; its complexity is undefined where nesting is too deep to analyse. */
function* checkOperation(
  operation: OperationDefinitionNode,
  complexity: Complexity | undefined,
  limits: QueryLimits,
): Generator<GraphQLError> {
  const subject = `The ${operation.operation}`;
  if (!complexity) {
    const finding = `${subject} nests selections and fragments in hundreds of levels`;
    yield limitError('QUERY_TOO_DEEP', finding, limits.depth, operation);
    return;
  }
  const { fields, nesting, introspection, cost, costliest } = complexity;
  if (fields > limits.rootFields) {
    const finding = `${subject} has ${format(fields)} root fields`;
    yield limitError('TOO_MANY_ROOT_FIELDS', finding, limits.rootFields, operation);
  }
  for (const [{ depth, deepest }, limit] of [
    [nesting, limits.depth],
    [introspection, limits.introspectionDepth],
  ] as const) {
    if (depth <= limit) continue;
    // The first field below the limit on the path to the deepest one.
    const { path, node } = fieldAt(
      pathOf(deepest, ({ children }) => children.nesting.deepest),
      limit,
    );
    yield limitError('QUERY_TOO_DEEP', `${subject} is ${depth} levels deep at ${path}`, limit, node);
  }
  const isStream = operation.operation === 'subscription';
  const costLimit = isStream ? Math.min(limits.streamCost, limits.cost) : limits.cost;
  if (cost > costLimit) {
    const { path, node } = tooCostlyField(costliest, costLimit);
    const finding = `${subject} costs ${format(cost)} objects${isStream ? ' an event' : ''}, most of them at ${path}`;
    const remedy = isStream ? 'Query the rest when an event tells that it has changed.' : undefined;
    yield limitError('QUERY_TOO_COMPLEX', finding, costLimit, node, remedy);
  }
}

/** Finds the first list that exceeds the limit by itself on the path to the costliest field; without one, that field. */
function tooCostlyField(costliest: PathField | undefined, limit: number) {
  const path = pathOf(costliest, ({ children, isCostliest }) => (isCostliest ? undefined : children.costliest));
  let objects = 1;
  const index = path.findIndex(({ listLength }) => {
    objects *= listLength;
    return objects > limit;
  });
  return fieldAt(path, index < 0 ? path.length - 1 : index);
}

function pathOf(first: PathField | undefined, next: (field: PathField) => PathField | undefined): PathField[] {
  const path: PathField[] = [];
  for (let field = first; field; field = next(field)) path.push(field);
  return path;
}

const maxPathLength = 20;

function fieldAt(fields: readonly PathField[], index: number) {
  const shown = fields.slice(0, Math.min(index + 1, maxPathLength));
  return { path: shown.map(({ node }) => truncate(node.name.value)).join('.'), node: shown.at(-1)?.node };
}

function limitError(
  code: LimitCode,
  finding: string,
  limit: number,
  node: ASTNode | undefined,
  remedy = '',
): GraphQLError {
  return new GraphQLError(`${finding}; at most ${format(limit)} are allowed. ${remedy}`.trimEnd(), {
    nodes: node ?? null,
    extensions: { code },
  });
}

const format = (count: number) =>
  `${count === maxCount ? 'more than ' : ''}${Math.round(count).toLocaleString('en-US')}`;

/** A name may be as long as a request. */
const truncate = (name: string) => (name.length > 40 ? `${name.slice(0, 40)}…` : name);
