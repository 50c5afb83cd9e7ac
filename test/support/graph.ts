import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';

/** The graph as a schema alone, without resolvers. */
export function buildGraph(): GraphQLSchema {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));
  return buildSchema(files.map(file => readFileSync(new URL(file, folder), 'utf8')).join('\n'));
}
