import {
  directiveOf,
  type Fragments,
  fragmentsOf,
  type SelectedField,
  selectedFields,
} from '@carte/operations/execution/selected-fields';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The arguments of `@ofConfiguration` (schema/graph.graphql). */
interface OfConfiguration {
  readonly unless: readonly string[];
  readonly differsForGuests: boolean;
  readonly dependsOn: readonly string[];
}

type Field = GraphQLField<unknown, unknown>;

const ofConfiguration = (schema: GraphQLSchema, field: Field) =>
  directiveOf(schema, 'ofConfiguration', field) as OfConfiguration | undefined;

/** The sets of fields of `Store` of which each tells alone whether a value has changed; none for a field whose responses are not cached. */
function revisionsOf(schema: GraphQLSchema, field: Field): readonly (readonly string[])[] {
  const configuration = ofConfiguration(schema, field);
  return [
    ...(configuration ? [['menuRevision', ...configuration.dependsOn]] : []),
    ...(directiveOf(schema, 'ofStore', field) ? [['revision']] : []),
    ...(directiveOf(schema, 'ofOrders', field) ? [['ordersRevision']] : []),
  ];
}

/**
 * Checks that every field of a type that a cached response can contain has `@uncached`, or at least one of the directives that say what it depends on: a
 * field without any would silently make every query that selects it uncacheable.
 */
export function checkCacheDirectives(schema: GraphQLSchema): void {
  const isCached = (field: Field) => revisionsOf(schema, field).length > 0;
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const cachedTypes = types
    .flatMap(type => Object.values(type.getFields()).filter(isCached))
    .map(field => getNamedType(field.type));
  const errors = types
    .filter(type => cachedTypes.includes(type) || Object.values(type.getFields()).some(isCached))
    .flatMap(type => Object.values(type.getFields()).map(field => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => isCached(field) === !!directiveOf(schema, 'uncached', field))
    .map(({ name }) => name);
  if (errors.length > 0) {
    throw new Error(
      `These fields need either @uncached, or some of @ofConfiguration, @ofOrders and @ofStore: ${errors.join(', ')}`,
    );
  }
}

/** Whether a response depends only on what `dependenciesOf` names: one root field, `@storeById`, and below it no field that is `@uncached`. */
export function isCacheable(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): boolean {
  const query = findStoreQuery(schema, document, operationName);
  if (!query || hasDirectives(document)) return false;
  return isCacheableBelow(schema, query.field, query.root, { fragments: query.fragments, mayBeTimed: false });
}

/** What a cache at the edge has to know of a response: its store, and whether it has anything of the menu. */
export interface Shareable {
  readonly storeIdOf: (variables: Readonly<Record<string, unknown>>) => string;
  readonly hasMenu: boolean;
}

/** Undefined for a response that depends on more than a store without its orders, the time, and arguments. */
export function findShareable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Shareable | undefined {
  const query = findStoreQuery(schema, document, operationName);
  if (!query || hasDirectives(document)) return undefined;
  const names = dependenciesOf(schema, document);
  if (names.includes('ordersRevision')) return undefined;
  if (!isCacheableBelow(schema, query.field, query.root, { fragments: query.fragments, mayBeTimed: true }))
    return undefined;
  return { storeIdOf: query.storeIdOf, hasMenu: names.includes('menuRevision') };
}

/** Whether a document selects a field whose value differs for guests: their responses are then cached apart. */
export const differsForGuests = (schema: GraphQLSchema, document: DocumentNode): boolean =>
  fieldsIn(schema, document).some(field => ofConfiguration(schema, field)?.differsForGuests);

/** The fields of the store, such as its revisions, that tell whether a response has changed. */
export function dependenciesOf(schema: GraphQLSchema, document: DocumentNode): readonly string[] {
  const found = fieldsIn(schema, document).map(field => revisionsOf(schema, field));
  const names = new Set(found.flatMap(sets => (sets.length === 1 ? sets.flat() : [])));
  for (const [first = [], ...others] of found) {
    const isCovered = [first, ...others].some(set => set.every(name => names.has(name)));
    if (!isCovered) for (const name of first) names.add(name);
  }
  return [...names];
}

function fieldsIn(schema: GraphQLSchema, document: DocumentNode): readonly Field[] {
  const typeInfo = new TypeInfo(schema);
  const found = new Set<Field>();
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      [Kind.FIELD]: () => {
        const field = typeInfo.getFieldDef();
        if (field) found.add(field);
      },
    }),
  );
  return [...found];
}

function isCacheableBelow(
  schema: GraphQLSchema,
  parent: Field,
  { selections }: SelectedField,
  options: { readonly fragments: Fragments; readonly mayBeTimed: boolean },
): boolean {
  const type = getNamedType(parent.type);
  if (!isObjectType(type)) return true;
  return selectedFields(selections, options.fragments, type).every(selected => {
    const { name, arguments: given = [] } = selected.node;
    if (name.value === '__typename') return true;
    const field = type.getFields()[name.value];
    if (!field) return false;
    if (options.mayBeTimed && directiveOf(schema, 'uncached', field)?.ofStoreAndTime === true) return true;
    if (revisionsOf(schema, field).length === 0) return false;
    const unless = options.mayBeTimed ? [] : ofConfiguration(schema, field)?.unless;
    if (given.some(argument => unless?.includes(argument.name.value))) return false;
    return isCacheableBelow(schema, field, selected, options);
  });
}

/** With `@skip` or `@include` the selection depends on variables; too rare to be worth caching. */
function hasDirectives(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    [Kind.DIRECTIVE]: () => {
      found = true;
    },
  });
  return found;
}

/** Reads the named revisions of a store, and what else a response depends on, by the names of their fields; undefined where the store is not in the caller's scope. */
export type ReadRevisions<Caller> = (
  caller: Caller,
  store: { readonly storeId: string; readonly names: readonly string[] },
) => Promise<StoreValues | undefined>;

type StoreValues = Readonly<Record<string, unknown>> & {
  /** Until something of the store ends by itself; null for never, and undefined without a publishable key, and beside revisions of orders. */
  readonly dueInSeconds?: number | null | undefined;
};

/** What caches at the edge have to know of a response: on which store it depends, whether it has anything of the menu, and until when it stays. */
export interface SharedRead {
  readonly storeId: string;
  readonly hasMenu: boolean;
  readonly dueInSeconds: number | null;
}

/** Creates the function that finds out until when a response stays, unless that was read with its revision; null if there is no such store. */
export const createSharedReads =
  <Caller>(readRevisions: ReadRevisions<Caller>) =>
  async (
    caller: Caller,
    read: Omit<SharedRead, 'dueInSeconds'>,
    dueInSeconds: number | null | undefined,
  ): Promise<SharedRead | null> => {
    if (dueInSeconds !== undefined) return { ...read, dueInSeconds };
    const store = await readRevisions(caller, { storeId: read.storeId, names: ['revision'] });
    return store?.dueInSeconds === undefined ? null : { ...read, dueInSeconds: store.dueInSeconds };
  };

/** The query with this name, or the only one, where the schema marks its one root field `@storeById`. */
export function findStoreQuery(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined) {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query') return undefined;
  const fragments = fragmentsOf(document, schema);
  const [root, ...others] = selectedFields(operation.selectionSet.selections, fragments);
  const field = root && schema.getQueryType()?.getFields()[root.node.name.value];
  const storeById = field && directiveOf(schema, 'storeById', field);
  if (!storeById || others.length > 0) return undefined;
  const storeIdOf = compileStoreId(field, root.node, String(storeById.argument));
  return { operation, fragments, root, field, storeIdOf };
}

function compileStoreId(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  argument: string,
): (variables: Readonly<Record<string, unknown>>) => string {
  const value = node.arguments?.find(({ name }) => name.value === argument)?.value;
  if (value?.kind !== Kind.VARIABLE) {
    return variables => String(getArgumentValues(field, node, { ...variables })[argument]);
  }
  // The common case, without coercing all arguments.
  const name = value.name.value;
  return variables => String(variables[name]);
}
