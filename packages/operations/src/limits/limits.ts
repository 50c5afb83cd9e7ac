import {
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { createFieldCount, fragmentsOf, maxCount } from '../execution/selected-fields.ts';
import { readFieldCosts } from './field-costs.ts';
import { analyzeOperation, type Complexity, type PathField, type Variables } from './query-cost.ts';

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
  const fieldCosts = readFieldCosts(schema);
  const counted = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  return (document: DocumentNode, operationName: string | undefined, variables: Variables) => {
    // Independent of variables, and most documents are sent again.
    const errors = counted.get(document) ?? checkDocument(document, limits);
    counted.set(document, errors);
    // Without it the executor reports that the operation is missing or ambiguous.
    const operation = getOperationAST(document, operationName);
    if (!operation) return { errors, cost: 0 };
    const complexity = analyzeOperation(operation, { schema, fieldCosts, document, variables });
    return { errors: [...errors, ...checkOperation(operation, complexity, limits)], cost: complexity?.cost ?? 0 };
  };
}

/** Creates the function that computes the cost of an operation that needs no check, such as those of REST routes. */
export function createCostOf(schema: GraphQLSchema) {
  const fieldCosts = readFieldCosts(schema);
  return (document: DocumentNode, operationName: string, variables: Variables): number => {
    const operation = getOperationAST(document, operationName);
    return (operation && analyzeOperation(operation, { schema, fieldCosts, document, variables })?.cost) ?? 0;
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
  const { selections, aliased, mostDirectives, mostLiterals, mostRepeated, mostRepeatedObject } = countNodes(document);
  if (selections.length > limits.selections) {
    const finding = `The document has ${format(selections.length)} selections`;
    yield limitError('QUERY_TOO_LONG', finding, limits.selections, selections[limits.selections]);
  }
  const spreads = selections.filter(({ kind }) => kind === Kind.FRAGMENT_SPREAD);
  if (spreads.length > limits.spreads) {
    const finding = `The document has ${format(spreads.length)} fragment spreads`;
    yield limitError('QUERY_TOO_LONG', finding, limits.spreads, spreads[limits.spreads]);
  }
  for (const [{ node, count }, limit, fields] of [
    [mostRepeated, limits.repetitions, ''],
    [mostRepeatedObject, limits.objectRepetitions, ' with fields'],
  ] as const) {
    if (count <= limit) continue;
    const finding = `The document selects ${truncate(node?.name.value ?? '')}${fields} ${format(count)} times`;
    yield limitError('QUERY_TOO_LONG', finding, limit, node);
  }
  const excess = aliased[limits.aliases];
  if (excess) {
    const name = truncate(excess.alias?.value ?? '');
    const finding = `The document has ${format(aliased.length)} aliases, exceeding the limit at ${name}`;
    yield limitError('TOO_MANY_ALIASES', finding, limits.aliases, excess);
  }
  const directives = directivesOf(mostDirectives);
  if (directives.length > limits.directives) {
    const finding = `The document has ${format(directives.length)} directives on one node`;
    yield limitError('TOO_MANY_DIRECTIVES', finding, limits.directives, mostDirectives);
  }
  if (mostLiterals.count > limits.literals) {
    const finding = `The arguments of ${truncate(mostLiterals.node?.name.value ?? '')} have ${format(mostLiterals.count)} literals, for which variables may stand`;
    yield limitError('TOO_MANY_LITERALS', finding, limits.literals, mostLiterals.node);
  }
}

/** The field with the most of something. */
interface Most {
  node: FieldNode | undefined;
  count: number;
}

type DirectiveHolder = DocumentNode['definitions'][number] | SelectionNode;

function countNodes({ definitions }: DocumentNode) {
  const selections: SelectionNode[] = [];
  const aliased: FieldNode[] = [];
  let mostDirectives: DirectiveHolder | undefined;
  const mostLiterals: Most = { node: undefined, count: 0 };
  const mostRepeated: Most = { node: undefined, count: 0 };
  const mostRepeatedObject = { ...mostRepeated };
  const [repetitions, objectRepetitions] = [new Map<string, number>(), new Map<string, number>()];
  const roots = new Set<SelectionSetNode>();
  // A stack of its own instead of recursion: the document may nest deeper than the call stack.
  const pending: SelectionSetNode[] = [];
  const enter = (node: DirectiveHolder) => {
    if (directivesOf(node).length > directivesOf(mostDirectives).length) mostDirectives = node;
    if ('selectionSet' in node && node.selectionSet) pending.push(node.selectionSet);
  };
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) roots.add(definition.selectionSet);
    enter(definition);
  }
  for (let set = pending.pop(); set; set = pending.pop()) {
    for (const selection of set.selections) {
      enter(selection);
      selections.push(selection);
      if (selection.kind !== Kind.FIELD) continue;
      const name = (selection.alias ?? selection.name).value;
      countRepetition(selection, name, repetitions, mostRepeated);
      if (selection.selectionSet) countRepetition(selection, name, objectRepetitions, mostRepeatedObject);
      if (selection.alias) aliased.push(selection);
      const count = roots.has(set) ? 0 : countLiterals(selection);
      if (count > mostLiterals.count) Object.assign(mostLiterals, { node: selection, count });
    }
  }
  return { selections, aliased, mostDirectives, mostLiterals, mostRepeated, mostRepeatedObject };
}

function countRepetition(node: FieldNode, name: string, repetitions: Map<string, number>, most: Most): void {
  const count = (repetitions.get(name) ?? 0) + 1;
  repetitions.set(name, count);
  if (count > most.count) Object.assign(most, { node, count });
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

function directivesOf(node: DirectiveHolder | undefined): readonly DirectiveNode[] {
  return node && 'directives' in node ? (node.directives ?? []) : [];
}

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
