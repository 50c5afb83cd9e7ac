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

/**
 * Checks that every field of a type that a cached response can contain has exactly one of `@ofConfiguration` and
 * `@notOfConfiguration`: a field without either would silently make every query that selects it uncacheable.
 */
export function checkCacheDirectives(schema: GraphQLSchema): void {
  const isOfConfiguration = (field: GraphQLField<unknown, unknown>) => ofConfiguration(schema, field) !== undefined;
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const cachedTypes = types
    .flatMap(type => Object.values(type.getFields()).filter(isOfConfiguration))
    .map(field => getNamedType(field.type));
  const errors = types
    .filter(type => cachedTypes.includes(type) || Object.values(type.getFields()).some(isOfConfiguration))
    .flatMap(type => Object.values(type.getFields()).map(field => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => isOfConfiguration(field) === !!directiveOf(schema, 'notOfConfiguration', field))
    .map(({ name }) => name);
  if (errors.length > 0) {
    throw new Error(`These fields need one of @ofConfiguration and @notOfConfiguration: ${errors.join(', ')}`);
  }
}

const ofConfiguration = (schema: GraphQLSchema, field: GraphQLField<unknown, unknown>) =>
  directiveOf(schema, 'ofConfiguration', field) as OfConfiguration | undefined;

/** Whether a response depends only on the configuration of one store: one root field, `@storeById`, and below it only `@ofConfiguration`. */
export function isCacheable(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): boolean {
  const query = findStoreQuery(schema, document, operationName);
  if (!query || hasDirectives(document)) return false;
  return isCacheableBelow(schema, query.field, query.root, query.fragments);
}

/** Whether a document selects a field whose value differs for guests: their responses are then cached apart. */
export const differsForGuests = (schema: GraphQLSchema, document: DocumentNode): boolean =>
  directivesIn(schema, document).some(directive => directive.differsForGuests);

/** The fields of the store on which a response depends beside its configuration. */
export const dependenciesOf = (schema: GraphQLSchema, document: DocumentNode): readonly string[] => [
  ...new Set(directivesIn(schema, document).flatMap(directive => directive.dependsOn)),
];

function directivesIn(schema: GraphQLSchema, document: DocumentNode): readonly OfConfiguration[] {
  const typeInfo = new TypeInfo(schema);
  const found: OfConfiguration[] = [];
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      [Kind.FIELD]: () => {
        const field = typeInfo.getFieldDef();
        const directive = field && ofConfiguration(schema, field);
        if (directive) found.push(directive);
      },
    }),
  );
  return found;
}

function isCacheableBelow(
  schema: GraphQLSchema,
  parent: GraphQLField<unknown, unknown>,
  { selections }: SelectedField,
  fragments: Fragments,
): boolean {
  const type = getNamedType(parent.type);
  if (!isObjectType(type)) return true;
  return selectedFields(selections, fragments, type).every(selected => {
    const { name, arguments: given = [] } = selected.node;
    if (name.value === '__typename') return true;
    const field = type.getFields()[name.value];
    const directive = field && ofConfiguration(schema, field);
    if (!directive || given.some(argument => directive.unless.includes(argument.name.value))) return false;
    return isCacheableBelow(schema, field, selected, fragments);
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
) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** The query with this name, or the only one, where the schema marks its one root field `@storeById`. */
export function findStoreQuery(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined) {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query') return undefined;
  const fragments = fragmentsOf(document);
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
