import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/**
 * Decides what caches may do with a response: whatever does not say that it is public may depend on the API key. With an ETag the client
 * may store and revalidate it; without one nobody may store it, because a shared cache would hand it to the holders of other keys.
 */
export const caching = fp(
  async (app: FastifyInstance) => {
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (!reply.hasHeader('cache-control')) {
        reply.header('cache-control', reply.hasHeader('etag') ? 'private, no-cache' : 'no-store');
      }
      reply.header('x-content-type-options', 'nosniff');
      done(null, payload);
    });
  },
  { name: 'caching' },
);
