import { defaultFieldResolver, type GraphQLField, type GraphQLSchema, getDirectiveValues } from 'graphql';
import { type AccessScope, type Permission, requireKey, requirePermission } from '../auth/scope.ts';
import type { Context } from './context.ts';

/** Throws unless the key may use a root field: `@requires` names the permission, and without it any key may. */
export function authorize({ extensions }: GraphQLField<unknown, unknown>, scope: AccessScope | undefined): AccessScope {
  const permission = extensions.permission as Permission | undefined;
  return permission ? requirePermission(scope, permission) : requireKey(scope);
}

/** Has every root field authorize its caller; introspection needs no key. Throws if a mutation lacks `@requires`. */
export function authorizeRootFields(schema: GraphQLSchema): void {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  for (const field of [...Object.values(schema.getQueryType()?.getFields() ?? {}), ...mutations]) {
    field.extensions = { ...field.extensions, permission: requiredPermission(schema, field) };
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (root, args, context: Context, info) => {
      authorize(field, context.scope);
      return resolve(root, args, context, info);
    };
  }
  const open = mutations.filter(({ extensions }) => !extensions.permission).map(({ name }) => name);
  if (open.length > 0) throw new Error(`These mutations need @requires: ${open.join(', ')}`);
}

function requiredPermission(schema: GraphQLSchema, { astNode }: GraphQLField<unknown, unknown>) {
  const directive = schema.getDirective('requires');
  return directive && astNode ? getDirectiveValues(directive, astNode)?.permission : undefined;
}
