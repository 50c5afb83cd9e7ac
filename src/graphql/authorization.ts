import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getDirectiveValues,
} from 'graphql';
import { type AccessScope, type Permission, requireKey, requirePermission } from '../scope.ts';
import type { Context } from './context.ts';

/** Throws unless the key may use a root field: `@requires` names the permission, and without it any key may. */
export function authorize(
  { extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>,
  caller: { readonly scope: AccessScope | undefined } | null,
): void {
  const permission = extensions.permission as Permission | undefined;
  if (permission) requirePermission(caller?.scope, permission);
  else requireKey(caller?.scope);
}

/** Has every root field authorize its caller; introspection needs no key. Throws if a mutation lacks `@requires`. */
export function authorizeRootFields(schema: GraphQLSchema): void {
  const mutations = fieldsOf(schema.getMutationType());
  for (const field of [...fieldsOf(schema.getQueryType()), ...mutations, ...fieldsOf(schema.getSubscriptionType())]) {
    field.extensions = { ...field.extensions, permission: requiredPermission(schema, field) };
    field.resolve = authorized(field, field.resolve ?? defaultFieldResolver);
    if (field.subscribe) field.subscribe = authorized(field, field.subscribe);
  }
  const open = mutations.filter(({ extensions }) => !extensions.permission).map(({ name }) => name);
  if (open.length > 0) throw new Error(`These mutations need @requires: ${open.join(', ')}`);
}

type Resolve = GraphQLFieldResolver<unknown, Context>;

function authorized(field: GraphQLField<unknown, Context>, resolve: Resolve): Resolve {
  return (root, args, context, info) => {
    if (context.authorizedField !== field) authorize(field, context);
    return resolve(root, args, context, info);
  };
}

const fieldsOf = (type: GraphQLObjectType | null | undefined) => Object.values(type?.getFields() ?? {});

function requiredPermission(schema: GraphQLSchema, { astNode }: GraphQLField<unknown, unknown>) {
  const directive = schema.getDirective('requires');
  return directive && astNode ? getDirectiveValues(directive, astNode)?.permission : undefined;
}
