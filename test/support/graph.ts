import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { toPublicSchema } from '../../src/graphql/public-schema.ts';

let built: GraphQLSchema | undefined;

/** The graph as a schema alone, without resolvers; one for all files of a worker, which do not change it. */
export const buildGraph = (): GraphQLSchema => (built ??= build());

let builtPublic: GraphQLSchema | undefined;

/** The same as `/graphql` has it. */
export const buildPublicGraph = (): GraphQLSchema => (builtPublic ??= toPublicSchema(buildGraph()));

function build(): GraphQLSchema {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));
  return buildSchema(files.map(file => readFileSync(new URL(file, folder), 'utf8')).join('\n'));
}
