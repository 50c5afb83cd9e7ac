import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getDirectiveValues,
  getOperationAST,
  type InlineFragmentNode,
  isUnionType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** A field of a response: its response key, a node that selects it, and the merged selections below it. */
export interface SelectedField {
  readonly key: string;
  readonly node: FieldNode;
  readonly selections: readonly SelectionNode[];
}

/** The response key of a field. */
export const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** A field that the document need not select, e.g. for the ETag. */
export const leafField = (name: string): SelectedField => ({
  key: name,
  node: { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } },
  selections: [],
});

export interface Fragments extends ReadonlyMap<string, FragmentDefinitionNode> {
  /** Tells which objects are of a union; without it, none are. */
  readonly schema?: GraphQLSchema | undefined;
}

export function fragmentsOf(document: DocumentNode, schema?: GraphQLSchema): Fragments {
  const fragments = document.definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
  return Object.assign(new Map(fragments.map(fragment => [fragment.name.value, fragment])), { schema });
}

/**
 * Collects fields as CollectFields of the GraphQL specification does: fragments expanded, equal response keys merged, in order. Without the type of
 * the object, all fragments apply to it.
 */
export function selectedFields(
  selections: readonly SelectionNode[],
  fragments: Fragments,
  type?: GraphQLObjectType | undefined,
): SelectedField[] {
  const fields = new Map<string, SelectedField>();
  // Each once: fragments that spread each other would otherwise be expanded exponentially often.
  const spread = new Set<string>();
  const visit = (selection: SelectionNode): void => {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      if (appliesTo(type, selection, fragments)) selection.selectionSet.selections.forEach(visit);
      return;
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const { value: name } = selection.name;
      if (spread.has(name)) return;
      spread.add(name);
      const fragment = fragments.get(name);
      if (fragment && appliesTo(type, fragment, fragments)) fragment.selectionSet.selections.forEach(visit);
      return;
    }
    const key = keyOf(selection);
    const own = selection.selectionSet?.selections ?? [];
    const known = fields.get(key);
    fields.set(key, { key, node: selection, selections: known ? [...known.selections, ...own] : own });
  };
  selections.forEach(visit);
  return [...fields.values()];
}

function appliesTo(
  type: GraphQLObjectType | undefined,
  { typeCondition: condition }: FragmentDefinitionNode | InlineFragmentNode,
  { schema }: Fragments,
): boolean {
  if (!type || !condition || condition.name.value === type.name) return true;
  const union = schema?.getType(condition.name.value);
  if (schema && isUnionType(union)) return schema.isSubType(union, type);
  return type.getInterfaces().some(({ name }) => name === condition.name.value);
}

/** Upper bound of all counts, so that no sum becomes inexact, and no product infinite. */
export const maxCount = 1e15;

/**
 * Counts the fields of selections and below them with fragments expanded at each spread, in time linear in the document: each fragment is
 * counted once, however often it is spread.
 */
export function createFieldCount(fragments: Fragments): (selections: readonly SelectionNode[]) => number {
  const counted = new Map<string, number>();
  function countAll(selections: readonly SelectionNode[]): number {
    let sum = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) sum += countFragment(selection.name.value);
      else sum += countAll(selection.selectionSet?.selections ?? []) + (selection.kind === Kind.FIELD ? 1 : 0);
    }
    return Math.min(sum, maxCount);
  }
  function countFragment(name: string): number {
    // A fragment that spreads itself has no fields meanwhile; validation rejects it.
    let count = counted.get(name);
    if (count !== undefined) return count;
    counted.set(name, 0);
    count = countAll(fragments.get(name)?.selectionSet.selections ?? []);
    counted.set(name, count);
    return count;
  }
  return countAll;
}

/** The fields along a path of response keys, from the root of the operation. */
export function fieldsAlong(document: DocumentNode, operationName: string, keys: readonly string[]): SelectedField[] {
  const fragments = fragmentsOf(document);
  let selections = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return keys.map(key => {
    const field = selectedFields(selections, fragments).find(candidate => candidate.key === key);
    if (!field) throw new Error(`${operationName} has nothing at ${keys.join('.')}`);
    selections = field.selections;
    return field;
  });
}

/** The arguments of a directive on a definition of the schema; undefined without it. */
export function directiveOf(
  schema: GraphQLSchema,
  name: string,
  { astNode }: { readonly astNode?: Parameters<typeof getDirectiveValues>[1] | null | undefined },
): Readonly<Record<string, unknown>> | undefined {
  const directive = schema.getDirective(name);
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}

/** What a compiled operation passes to resolvers as `info`; a resolver that needs more does not compile. */
export type ResolveInfo = Pick<GraphQLResolveInfo, 'fieldName' | 'fieldNodes' | 'fragments'>;

type FieldInfo = Pick<ResolveInfo, 'fieldNodes' | 'fragments'>;

/** Compiles a predicate on the `info` of a resolver: whether the query selects only these subfields. */
export function selectsOnly(names: readonly string[]): (info: FieldInfo) => boolean {
  const allowed = new Set(['__typename', ...names]);
  // Resolvers of the items of a list share their nodes.
  const results = new WeakMap<SelectionSetNode, boolean>();

  const isAllowed = (set: SelectionSetNode | undefined, fragments: FieldInfo['fragments']): boolean => {
    if (!set) return false;
    let result = results.get(set);
    if (result === undefined) {
      const fields = selectedFields(set.selections, new Map(Object.entries(fragments)));
      result = fields.every(({ node }) => allowed.has(node.name.value));
      results.set(set, result);
    }
    return result;
  };
  return ({ fieldNodes, fragments }) => fieldNodes.every(node => isAllowed(node.selectionSet, fragments));
}
