import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, printSchema } from 'graphql';
import { lazyAsset, sendAsset } from './asset.ts';

/** Serves the SDL of the graph at `/schema.graphql`: what introspection shows, as a text. */
export function mountSdl(app: FastifyInstance, schema: GraphQLSchema): void {
  const sdl = lazyAsset('text/plain; charset=utf-8', () => `${printSchema(schema)}\n`);
  app.get('/schema.graphql', (request, reply) => sendAsset(sdl(), request, reply));
}
