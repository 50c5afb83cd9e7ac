import {
  type DocumentNode,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  visit,
} from 'graphql';
import { storeRootOf } from './revisions.ts';
import { type Fragments, fragmentsOf, operationOf, type SelectedField, selectedFields } from './selected-fields.ts';

/** The directive of schema/graph.graphql, as it stands at a field. */
interface OfConfiguration {
  readonly unless: readonly string[];
}

/**
 * Checks that every field of a type that a cached response can contain says whether it is `@ofConfiguration` or
 * `@notOfConfiguration`: one that says neither would keep responses from being cached, and nobody would notice.
 */
export function checkMarks(schema: GraphQLSchema): void {
  const isMarked = (field: GraphQLField<unknown, unknown>) => marked(schema, field, 'ofConfiguration') !== undefined;
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const reached = types
    .flatMap(type => Object.values(type.getFields()).filter(isMarked))
    .map(field => getNamedType(field.type));
  const errors = types
    .filter(type => reached.includes(type) || Object.values(type.getFields()).some(isMarked))
    .flatMap(type => Object.values(type.getFields()).map(field => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => isMarked(field) === (marked(schema, field, 'notOfConfiguration') !== undefined))
    .map(({ name }) => name);
  if (errors.length > 0) {
    throw new Error(`These fields need one of @ofConfiguration and @notOfConfiguration: ${errors.join(', ')}`);
  }
}

/**
 * Whether an answer depends on nothing but the configuration of one store, by the marks of the schema: its one root field
 * leads to a store, and everything below it is `@ofConfiguration`. Only such an answer may be kept.
 */
export function isCacheable(schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined): boolean {
  const operation = operationOf(document, operationName);
  if (!operation || hasDirectives(document)) return false;
  const fragments = fragmentsOf(document);
  const root = storeRootOf(schema, operation, fragments);
  const field = root && schema.getQueryType()?.getFields()[root.node.name.value];
  const [selected] = selectedFields(operation.selectionSet.selections, fragments);
  return field !== undefined && selected !== undefined && isCacheableBelow(schema, field, selected, fragments);
}

/** Whether everything below a field is `@ofConfiguration`. */
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
  const mark = field && (marked(schema, field, 'ofConfiguration') as OfConfiguration | undefined);
  if (!field || !mark) return false;
  if (selected.node.arguments?.some(argument => mark.unless.includes(argument.name.value))) return false;
  return isCacheableBelow(schema, field, selected, fragments);
}

function marked(schema: GraphQLSchema, { astNode }: GraphQLField<unknown, unknown>, name: string): object | undefined {
  const directive: GraphQLDirective | null | undefined = schema.getDirective(name);
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}

/** `@skip` and `@include` make another answer of the same text; they are rare enough not to be kept. */
function hasDirectives(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    [Kind.DIRECTIVE]: () => {
      found = true;
    },
  });
  return found;
}
