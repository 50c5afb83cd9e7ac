import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { ResponseCache } from '../cache/response-cache.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly responseCache: ResponseCache;
  }
}

/** Decorates the server with the cache that `/v1` and `/graphql` share. */
export const responseCache = fp(
  async (app: FastifyInstance) => {
    app.decorate('responseCache', new ResponseCache(app.config.cacheBytes));
  },
  { name: 'response-cache' },
);
