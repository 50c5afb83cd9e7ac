import { getDocumentNodeFromSchema, MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import { type DocumentNode, type GraphQLSchema, Kind, print, visit } from 'graphql';
import { isForGuests } from './authorization.ts';

/** Prints the graph in SDL, with the directives of its fields. */
export const printGraph = (schema: GraphQLSchema): string => `${print(getDocumentNodeFromSchema(schema))}\n`;

/** Prints what publishable keys may select: of all fields those that `@readable` opens to guests, with the types that they need. */
export function printGraphForGuests(schema: GraphQLSchema): string {
  const forGuests = pruneSchema(
    mapSchema(schema, { [MapperKind.OBJECT_FIELD]: field => (isForGuests(field) ? undefined : null) }),
  );
  const document: DocumentNode = visit(getDocumentNodeFromSchema(forGuests), {
    // Those of the directives of permissions, which no longer differ, and of roots that are gone.
    [Kind.DIRECTIVE]: ({ name }) => (permissionDirectives.includes(name.value) ? null : undefined),
    [Kind.DIRECTIVE_DEFINITION]: ({ name }) => (permissionDirectives.includes(name.value) ? null : undefined),
    [Kind.ENUM_TYPE_DEFINITION]: ({ name }) => (name.value === 'Permission' ? null : undefined),
    [Kind.OPERATION_TYPE_DEFINITION]: ({ type }) => (forGuests.getType(type.name.value) ? undefined : null),
  });
  return `${print(document)}\n`;
}

const permissionDirectives = ['readable', 'requires'];
