import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { defaultFieldResolver, type GraphQLSchema, isScalarType } from 'graphql';
import { type AccessScope, requireKey, requireWrite } from '../auth/scope.ts';
import { checkCacheDirectives } from '../cache/cacheable.ts';
import type { CheckPartialInput } from '../errors.ts';
import { menuChecks } from '../menu/check.ts';
import { diagnosticResolvers } from '../menu/diagnostics/resolvers.ts';
import { menuResolvers } from '../menu/resolvers.ts';
import { merchantResolvers } from '../merchant/resolvers.ts';
import { orderResolvers } from '../order/resolvers.ts';
import { storeResolvers } from '../store/resolvers.ts';
import type { Context } from './context.ts';
import { scalars } from './scalars.ts';

const folder = new URL('../../schema/', import.meta.url);

/** The graph: `schema/*.graphql` with the resolvers of every domain. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));
  const schema = makeExecutableSchema<Context>({
    typeDefs: files.map(file => readFileSync(new URL(file, folder), 'utf8')),
    resolvers: [scalars, merchantResolvers, storeResolvers, menuResolvers, diagnosticResolvers, orderResolvers],
  });
  describeScalars(schema);
  guard(schema);
  addChecks(schema);
  checkCacheDirectives(schema);
  return schema;
}

/** Scalars that come with functions lose the description that the schema gives them. */
function describeScalars(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type)) type.description ??= type.astNode?.description?.value;
  }
}

/** For those who read arguments themselves, and would otherwise tell of half the errors. */
function addChecks(schema: GraphQLSchema): void {
  const fields = schema.getMutationType()?.getFields() ?? {};
  for (const [name, checkPart] of Object.entries<CheckPartialInput>(menuChecks)) {
    const field = fields[name];
    if (!field) throw new Error(`There is no mutation ${name} to check`);
    field.extensions = { ...field.extensions, checkPart };
  }
}

/** Every way into the graph needs a key, and every write one that may write; the schema itself is open to all. */
function guard(schema: GraphQLSchema): void {
  guardFields(schema.getQueryType(), requireKey);
  guardFields(schema.getMutationType(), requireWrite);
}

function guardFields(
  type: ReturnType<GraphQLSchema['getQueryType']>,
  check: (scope: AccessScope | undefined) => void,
): void {
  for (const field of Object.values(type?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (root, args, context: Context, info) => {
      check(context.scope);
      return resolve(root, args, context, info);
    };
  }
}
