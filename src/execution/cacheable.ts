import {
  directiveOf,
  type Fragments,
  fragmentsOf,
  operationOf,
  type SelectedField,
  selectedFields,
} from '@carte/operations/execution/selected-fields';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The arguments of `@ofConfiguration` (schema/graph.graphql). */
interface OfConfiguration {
  readonly unless: readonly string[];
  readonly differsForGuests: boolean;
}

/**
 * Checks that every field of a type that a cached response can contain has exactly one of `@ofConfiguration` and
 * `@notOfConfiguration`: a field without either would silently make every query that selects it uncacheable.
 */
export function checkCacheDirectives(schema: GraphQLSchema): void {
  const has = (field: GraphQLField<unknown, unknown>, directive: string) =>
    directiveOf(schema, directive, field) !== undefined;
  const isOfConfiguration = (field: GraphQLField<unknown, unknown>) => has(field, 'ofConfiguration');
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const cachedTypes = types
    .flatMap(type => Object.values(type.getFields()).filter(isOfConfiguration))
    .map(field => getNamedType(field.type));
  const errors = types
    .filter(type => cachedTypes.includes(type) || Object.values(type.getFields()).some(isOfConfiguration))
    .flatMap(type => Object.values(type.getFields()).map(field => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => isOfConfiguration(field) === has(field, 'notOfConfiguration'))
    .map(({ name }) => name);
  if (errors.length > 0) {
    throw new Error(`These fields need one of @ofConfiguration and @notOfConfiguration: ${errors.join(', ')}`);
  }
}

/** Whether a response depends only on the configuration of one store: one root field, `@storeById`, and below it only `@ofConfiguration`. */
export function isCacheable(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): boolean {
  const operation = operationOf(document, operationName);
  if (!operation || hasDirectives(document)) return false;
  const fragments = fragmentsOf(document);
  const root = storeRootOf(schema, operation, fragments);
  const field = root && schema.getQueryType()?.getFields()[root.node.name.value];
  const [selected] = selectedFields(operation.selectionSet.selections, fragments);
  return field !== undefined && selected !== undefined && isCacheableBelow(schema, field, selected, fragments);
}

/** Whether a document selects a field whose value differs for guests: their responses are then cached apart. */
export function differsForGuests(schema: GraphQLSchema, document: DocumentNode): boolean {
  const typeInfo = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      [Kind.FIELD]: () => {
        const field = typeInfo.getFieldDef();
        const directive = field && (directiveOf(schema, 'ofConfiguration', field) as OfConfiguration | undefined);
        if (directive?.differsForGuests) found = true;
      },
    }),
  );
  return found;
}

function isCacheableBelow(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  { selections }: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
): boolean {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return true;
  return selectedFields(selections, fragments).every(selected => isFieldCacheable(schema, type, selected, fragments));
}

function isFieldCacheable(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  selected: SelectedField,
  fragments: Fragments,
): boolean {
  const name = selected.node.name.value;
  if (name === '__typename') return true;
  const field = type.getFields()[name];
  const directive = field && (directiveOf(schema, 'ofConfiguration', field) as OfConfiguration | undefined);
  if (!field || !directive) return false;
  if (selected.node.arguments?.some(argument => directive.unless.includes(argument.name.value))) return false;
  return isCacheableBelow(schema, field, selected, fragments);
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

/** Reads the named revisions of a store, by the names of their fields; undefined where the store is not in the caller's scope. */
export type ReadRevisions<Caller> = (
  caller: Caller,
  store: { readonly storeId: string; readonly names: readonly string[] },
) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** A root field that loads a store by id. */
export interface StoreRoot {
  readonly node: FieldNode;
  readonly storeIdOf: (variables: Readonly<Record<string, unknown>>) => string;
}

/** The root field of a query with no other, where the schema marks it `@storeById`. */
export function storeRootOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): StoreRoot | undefined {
  if (operation.operation !== 'query') return undefined;
  const [root, ...others] = selectedFields(operation.selectionSet.selections, fragments);
  const field = root && schema.getQueryType()?.getFields()[root.node.name.value];
  const storeById = field && directiveOf(schema, 'storeById', field);
  if (!root || !field || !storeById || others.length > 0) return undefined;
  return { node: root.node, storeIdOf: compileStoreId(field, root.node, String(storeById.argument)) };
}

function compileStoreId(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  argument: string,
): StoreRoot['storeIdOf'] {
  const value = node.arguments?.find(({ name }) => name.value === argument)?.value;
  if (value?.kind !== Kind.VARIABLE) {
    return variables => String(getArgumentValues(field, node, { ...variables })[argument]);
  }
  // The common case, without coercing all arguments.
  const name = value.name.value;
  return variables => String(variables[name]);
}
