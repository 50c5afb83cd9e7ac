import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const allowedHeaders =
  'Content-Type, X-Api-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, X-Apollo-Operation-Name, Apollo-Require-Preflight';
const exposedHeaders =
  'ETag, Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset';

/**
 * Whether a page may open a WebSocket, for which browsers have no preflight: one of this origin, or of those that may call the service. A page of another
 * origin could do no harm, since a browser sends no API key by itself; it is refused for the same reason as its other requests.
 */
export function isAllowedOrigin({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const { origin, host, 'x-forwarded-host': forwardedHost } = headers;
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return true;
  const originHost = URL.canParse(origin) ? new URL(origin).host : undefined;
  return originHost !== undefined && (originHost === host || originHost === forwardedHost);
}

/** Allows pages of the configured origins to call the service; `*` allows all. */
export const cors = fp(
  async (app: FastifyInstance) => {
    const { corsOrigins } = app.config.http;
    if (corsOrigins.length === 0) return;
    const allowed = new Set<string | undefined>(corsOrigins);
    const isOpen = allowed.has('*');
    await app.register(import('@fastify/cors'), {
      origin: isOpen ? '*' : (origin, callback) => callback(null, allowed.has(origin)),
      // Operations of the operator may have further methods and headers.
      ...(app.config.operations.length > 0 ? {} : { methods: ['GET', 'HEAD', 'POST'], allowedHeaders }),
      exposedHeaders,
      maxAge: 86_400,
      // With it, an OPTIONS request that is no preflight would be 400.
      strictPreflight: false,
    });
    if (!isOpen) keepVaryOrigin(app);
  },
  // A preflight is answered in a hook, and is logged and counted all the same.
  { name: 'cors', dependencies: ['requests'] },
);

/** Adds `Origin` to the Vary header again where a route has replaced the plugin's. */
function keepVaryOrigin(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const vary = reply.getHeader('vary');
    if (vary !== 'Origin') reply.header('vary', vary === undefined ? 'Origin' : `${vary}, Origin`);
    done();
  });
}
