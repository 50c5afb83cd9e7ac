import type { IncomingMessage } from 'node:http';
import { Forbidden } from '@carte/base/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import { createKeyOrigins, type KeyOrigins } from '../auth/key-origins.ts';
import type { AccessScope, Caller } from '../scope.ts';
import { createIsOwnOrigin } from './own-origins.ts';
import { replyOf } from './requests.ts';

/** What pages may send to routes of ours; docs/interface.md lists both, and a test compares them. */
const allowedHeaders = [
  ...['Content-Type', 'X-Api-Key', 'If-Match', 'If-None-Match', 'Idempotency-Key', 'Last-Event-ID', 'Authorization'],
  ...['X-Carte-Cost', 'X-Request-Id', 'Traceparent', 'Tracestate', 'Apollo-Require-Preflight'],
  ...['X-Apollo-Operation-Name', 'Apollographql-Client-Name', 'Apollographql-Client-Version'],
  ...['Mcp-Protocol-Version', 'Mcp-Session-Id', 'Mcp-Method', 'Mcp-Name'],
].join(', ');
const exposedHeaders = [
  ...['ETag', 'Retry-After', 'X-Request-Id', 'X-Carte-Cost', 'X-Carte-Warning', 'Deprecation', 'Sunset', 'Link'],
  ...['RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset'],
].join(', ');

declare module 'fastify' {
  interface FastifyInstance {
    readonly origins: ReturnType<typeof createOrigins>;
  }
}

/** Allows pages of the configured origins, and of those of publishable keys, to call the service. */
export const cors = fp(
  async (app: FastifyInstance) => {
    const { corsOrigins } = app.config.http;
    const configured = new Set<string | undefined>(corsOrigins);
    const isOpen = configured.has('*');
    const hasOwnOperations = app.config.operations.length > 0;
    const ofKeys = createKeyOrigins(app.database.primary, app.config.keyCacheTtlSeconds);
    app.decorate('origins', createOrigins(app, configured, ofKeys));
    if (hasOwnOperations) refuseForwardedHost(app);
    await app.register(import('@fastify/cors'), {
      origin: (origin, callback) => {
        const isAllowed = origin !== undefined && (isOpen || configured.has(origin) || ofKeys.has(origin));
        if (typeof isAllowed === 'boolean') callback(null, isAllowed && isOpen ? '*' : isAllowed);
        // Of a database that does not respond, the request learns later.
        else isAllowed.catch(() => false).then(isOfKey => callback(null, isOfKey));
      },
      // Operations of the operator may have further methods and headers: all that a page asks for but X-Forwarded-Host.
      ...(hasOwnOperations
        ? { methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] }
        : { methods: ['GET', 'HEAD', 'POST'], allowedHeaders }),
      exposedHeaders,
      maxAge: 86_400,
      // With it, an OPTIONS request that is no preflight would be 400.
      strictPreflight: false,
    });
  },
  // A preflight is answered in a hook, and is logged and counted all the same.
  { name: 'cors', dependencies: ['database', 'requests'] },
);

/** Logs of secret keys in pages: one line a minute for each key. */
const warningMs = 60_000;
const maxWarnedKeys = 1_000;
const warning = 'A page sends a secret API key; replace it by a publishable one, and revoke it.';

/** Which pages may call the service, by the header `Origin`. A client that sends none is no page of another origin. */
function createOrigins(app: FastifyInstance, configured: ReadonlySet<string | undefined>, ofKeys: KeyOrigins) {
  const warned = new LRUCache<string, true>({ max: maxWarnedKeys, ttl: warningMs });
  const isOwnOrigin = createIsOwnOrigin(app.config, app.log);
  const isConfigured = (request: IncomingMessage) => {
    const { origin } = request.headers;
    return origin === undefined || configured.has('*') || configured.has(origin) || isOwnOrigin(request);
  };

  function isAllowed(request: IncomingMessage, { publishable, origins = [] }: AccessScope): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return true;
    return publishable ? origins.includes(origin) || isOwnOrigin(request) : isConfigured(request);
  }

  return {
    /** Whether some key may be used by the page: for a preflight and the upgrade to a WebSocket, which come before the key. */
    isKnown: (request: IncomingMessage) => isConfigured(request) || ofKeys.has(request.headers.origin ?? ''),
    /** Whether CARTE_CORS_ORIGINS has the page, or it is one of the service itself. */
    isConfigured,
    /** Throws `Forbidden` if the key may not be used by the page; withdraws what lets the page read the response. */
    check(request: FastifyRequest, { keyId, scope }: Caller): void {
      const { headers } = request;
      if (headers.origin === undefined) return;
      const reply = replyOf(request);
      if (isAllowed(request.raw, scope)) {
        // The origins of keys may have been read before this one had it.
        if (scope.publishable) reply.headers(corsHeaders(headers.origin));
        return;
      }
      for (const name of Object.keys(corsHeaders(''))) reply.removeHeader(name);
      if (scope.publishable) throw notAllowed(request.raw);
      reply.header('x-carte-warning', warning);
      if (warned.has(keyId)) return;
      warned.set(keyId, true);
      app.log.warn({ key: keyId, origin: headers.origin.slice(0, 200) }, warning);
    },
    /** The same on a WebSocket. */
    checkConnection(request: IncomingMessage, { scope }: Caller): void {
      if (!isAllowed(request, scope)) throw notAllowed(request);
    },
  };
}

/** Let a page read a response. */
export const corsHeaders = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': exposedHeaders,
});

function notAllowed({ headers: { origin } }: IncomingMessage): Forbidden {
  return new Forbidden(`This API key may not be used by pages of the origin ${origin?.slice(0, 200)}.`);
}

/** Pages may not send the header that says which origin is that of the service: a trusted proxy may pass it on unchanged. */
function refuseForwardedHost(app: FastifyInstance): void {
  const requested = 'access-control-request-headers';
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const names = headers[requested]?.split(',') ?? [];
    if (names.length > 0)
      headers[requested] = names.filter(name => name.trim().toLowerCase() !== 'x-forwarded-host').join(',');
    done();
  });
}
