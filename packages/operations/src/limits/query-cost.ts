import { isObject } from '@carte/base/json';
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import type { Variables } from '../execution/compile.ts';
import { fragmentsOf, maxCount } from '../execution/selected-fields.ts';
import { type Field, type FieldCost, InputAnalysis, readFieldCosts } from './field-costs.ts';
import { maxNesting } from './parse-document.ts';

/** Complexity of a selection, for each object that it is applied to. */
export interface Complexity {
  /** Fields that the selection itself selects. */
  readonly fields: number;
  readonly nesting: Nesting;
  /** Estimated number of objects, and the first field on the path to where most of them are. */
  readonly cost: number;
  readonly costliest: PathField | undefined;
  /** Cost of the list fields whose length the parent field gives, for each list member. */
  readonly costPerMember: number;
  /** That below `__schema` and `__type`, which has a limit of its own. */
  readonly introspection: Nesting;
}

/** Levels of nested fields, and the first field on the path to the deepest one. */
export interface Nesting {
  readonly depth: number;
  readonly deepest: PathField | undefined;
}

/** A field on the path to the deepest or costliest one; the rest of the path is in `children`. */
export interface PathField {
  readonly node: FieldNode;
  readonly listLength: number;
  readonly children: Complexity;
  /** Whether the field and what is given to it cost more than what is selected of it, so that the path to the costliest one ends here. */
  readonly isCostliest: boolean;
}

const flat: Nesting = { depth: 0, deepest: undefined };

const empty: Complexity = {
  fields: 0,
  nesting: flat,
  cost: 0,
  costliest: undefined,
  costPerMember: 0,
  introspection: flat,
};

/**
 * Computes the complexity of an operation in time linear in the document: each fragment is analysed once, however often it is
 * spread. The document need not be valid; unknown fields, types and fragments cost nothing. Returns undefined beyond `maxNesting`.
 */
export function analyzeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Complexity | undefined {
  const fieldCosts = readFieldCosts(schema);
  const fragments = fragmentsOf(document);
  const values = new ArgumentValues(operation, variables);
  const analyzed = new Map<string, Complexity>();
  let nesting = 0;
  let isTooNested = false;

  function analyzeSelections({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Complexity {
    if (nesting >= maxNesting) isTooNested = true;
    if (isTooNested) return empty;
    nesting++;
    let sum = empty;
    for (const selection of selections) {
      if (!values.isSkipped(selection.directives)) sum = add(sum, analyzeSelection(selection, type));
    }
    nesting--;
    return sum;
  }

  function analyzeSelection(selection: SelectionNode, type: GraphQLNamedType | undefined): Complexity {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return analyzeFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      return analyzeSelections(selection.selectionSet, condition === undefined ? type : schema.getType(condition));
    }
    const field = findField(schema, type, selection.name.value);
    const fieldCost = field && fieldCosts.get(field);
    const children = selection.selectionSet ? analyzeSelections(selection.selectionSet, fieldCost?.type) : empty;
    return addField(selection, fieldCost, children, values);
  }

  function analyzeFragment(name: string): Complexity {
    const known = analyzed.get(name);
    const fragment = fragments.get(name);
    if (known || !fragment) return known ?? empty;
    // A fragment that spreads itself costs nothing meanwhile; validation rejects it.
    analyzed.set(name, empty);
    const complexity = analyzeSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
    analyzed.set(name, complexity);
    return complexity;
  }

  const complexity = analyzeSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  return isTooNested ? undefined : complexity;
}

function findField(schema: GraphQLSchema, type: GraphQLNamedType | undefined, name: string): Field | undefined {
  if (type === schema.getQueryType() && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (type === schema.getQueryType() && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Adds two selections on the same object. Fields in both count twice: merging them would not be linear. */
function add(one: Complexity, other: Complexity): Complexity {
  const costlier = other.cost + other.costPerMember > one.cost + one.costPerMember ? other : one;
  return {
    fields: bounded(one.fields + other.fields),
    nesting: deeper(one.nesting, other.nesting),
    cost: bounded(one.cost + other.cost),
    costliest: costlier.costliest,
    costPerMember: bounded(one.costPerMember + other.costPerMember),
    introspection: deeper(one.introspection, other.introspection),
  };
}

/** Adds a field to the selections below it. */
function addField(
  node: FieldNode,
  fieldCost: FieldCost | undefined,
  children: Complexity,
  values: ArgumentValues,
): Complexity {
  const size = fieldCost ? listSize(fieldCost, node, values) : 1;
  const isSizedByParent = fieldCost?.isSizedByParent ?? false;
  const listLength = fieldCost?.isList && !isSizedByParent ? size : 1;
  // An object costs one, as does a list member; a scalar only with an alias, which lets it be selected repeatedly.
  const ownCost = node.selectionSet || fieldCost?.isList || node.alias ? 1 : 0;
  const costPerValue = bounded(ownCost + children.cost + children.costPerMember * size);
  const costOfCall = fieldCost ? fieldCost.weight + values.costOf(fieldCost, node) : 0;
  const costOfResult = listLength * costPerValue;
  const cost = bounded(costOfCall + costOfResult);
  const path: PathField = { node, listLength, children, isCostliest: costOfCall > costOfResult };
  const nesting: Nesting = { depth: children.nesting.depth + 1, deepest: path };
  const isIntrospection = node.name.value === '__schema' || node.name.value === '__type';
  return {
    fields: 1,
    nesting: isIntrospection ? flat : nesting,
    cost: isSizedByParent ? 0 : cost,
    costliest: path,
    costPerMember: isSizedByParent ? cost : 0,
    introspection: isIntrospection ? nesting : flat,
  };
}

/** Length of the list that a field returns, or of the `sizedFields` of its object: the greatest slicing argument. */
function listSize({ slicingArguments, assumedSize }: FieldCost, node: FieldNode, values: ArgumentValues): number {
  const sizes = slicingArguments.flatMap(({ name, path, isList, defaultValue }) => {
    const argument = node.arguments?.find(candidate => candidate.name.value === name);
    const value = (argument && values.get(argument.value, path)) ?? defaultValue;
    const size = isList ? lengthOf(value) : value;
    return typeof size === 'number' && !Number.isNaN(size) ? [Math.max(0, bounded(size))] : [];
  });
  return sizes.length > 0 ? Math.max(...sizes) : assumedSize;
}

/** A value that is no list is coerced to a list of one. */
function lengthOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? value.length : 1;
}

/** Arguments with variables as sent, before coercion: values of a wrong type are ignored here. */
class ArgumentValues {
  /** With their defaults, and without a prototype: anybody may have written the names. */
  readonly #variables: Record<string, unknown> = Object.create(null);
  readonly #inputs = new InputAnalysis();

  constructor({ variableDefinitions = [] }: OperationDefinitionNode, variables: Variables) {
    for (const { variable, defaultValue } of variableDefinitions) {
      if (defaultValue) this.#variables[variable.name.value] = valueFromASTUntyped(defaultValue);
    }
    Object.assign(this.#variables, variables);
  }

  /** Returns integers, Booleans, lists of anything, and all variables, or what is at a path of fields in an input object. */
  get(given: ValueNode, path: readonly string[] = []): unknown {
    const { node, below } = nodeAt(given, path);
    if (node?.kind === Kind.VARIABLE) return valueAt(this.#variables[node.name.value], below);
    if (!node || below.length > 0) return undefined;
    if (node.kind === Kind.INT) return Number(node.value);
    if (node.kind === Kind.BOOLEAN) return node.value;
    if (node.kind === Kind.LIST) return node.values;
    return undefined;
  }

  /** The cost of what is given for the arguments of a field. */
  costOf({ argumentCosts }: FieldCost, { arguments: given = [] }: FieldNode): number {
    let sum = 0;
    for (const { name, value } of given) {
      const cost = argumentCosts.get(name.value);
      if (cost) sum += this.#inputs.costOf(cost, valueFromASTUntyped(value, this.#variables));
    }
    return sum;
  }

  /** Whether `@skip` or `@include` excludes the selection. */
  isSkipped(directives: readonly DirectiveNode[] = []): boolean {
    return directives.some(({ name, arguments: args = [] }) => {
      if (name.value !== 'skip' && name.value !== 'include') return false;
      const condition = args.find(argument => argument.name.value === 'if');
      return condition !== undefined && this.get(condition.value) === (name.value === 'skip');
    });
  }
}

/** Follows a path through the fields of an object; where a value is no object, such as a variable, the rest of the path is `below` it. */
export function nodeAt(node: ValueNode | undefined, path: readonly string[]) {
  const [name, ...below] = path;
  if (name === undefined || node?.kind !== Kind.OBJECT) return { node, below: path };
  return nodeAt(node.fields.find(field => field.name.value === name)?.value, below);
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((found, name) => (isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined), value);

const deeper = (one: Nesting, other: Nesting): Nesting => (other.depth > one.depth ? other : one);

const bounded = (count: number) => Math.min(count, maxCount);
