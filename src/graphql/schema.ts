import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { defaultFieldResolver, type GraphQLSchema, isScalarType, parse } from 'graphql';
import { currentRequest } from '../database/statements.ts';
import type { CheckPartialInput } from '../errors.ts';
import { checkCacheDirectives } from '../execution/cacheable.ts';
import { partialInputChecks } from '../menu/validate.ts';
import { authorizeRootFields, inheritReadable, readReadable } from './authorization.ts';
import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { scalars } from './scalars.ts';

const folder = new URL('../../schema/', import.meta.url);

let loaded: GraphQLSchema | undefined;

/** Loads the executable schema: `schema/*.graphql` with the resolvers of every domain. Nothing changes it, so a process has one. */
export function loadSchema(): GraphQLSchema {
  loaded ??= createSchema();
  return loaded;
}

function createSchema(): GraphQLSchema {
  const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));
  const schema = makeExecutableSchema<Context>({
    typeDefs: files.map(file => inheritReadable(parse(readFileSync(new URL(file, folder), 'utf8')))),
    resolvers: [scalars, ...resolvers],
  });
  describeScalars(schema);
  reportMutations(schema);
  authorizeRootFields(schema);
  readReadable(schema);
  addInputChecks(schema);
  checkCacheDirectives(schema);
  return schema;
}

/** Restores the descriptions that scalars with functions lose in `makeExecutableSchema`. */
function describeScalars(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type)) type.description ??= type.astNode?.description?.value;
  }
}

/**
 * Has every mutation report its end, also after an error: something may have been committed before. Meanwhile its request counts among those that
 * change something.
 */
function reportMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = async (root, args, context: Context, info) => {
      const request = currentRequest.getStore();
      if (request) request.isWriting = true;
      try {
        return await resolve(root, args, context, info);
      } finally {
        if (request) request.isWriting = false;
        context.onWritten();
      }
    };
  }
}

/** Adds the checks of partly read input, with which the REST facade reports the errors of shape and of domain at once. */
function addInputChecks(schema: GraphQLSchema): void {
  const fields = schema.getMutationType()?.getFields() ?? {};
  for (const [name, checkPart] of Object.entries<CheckPartialInput>(partialInputChecks)) {
    const field = fields[name];
    if (!field) throw new Error(`The schema has no mutation ${name}, which partialInputChecks names`);
    field.extensions = { ...field.extensions, checkPart };
  }
}
