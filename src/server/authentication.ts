import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type Authenticate, type Caller, createAuthenticator } from '../auth/key-cache.ts';
import { KeyUsage } from '../auth/key-usage.ts';
import { Unauthenticated } from '../errors.ts';
import { largeBodyBytes } from '../scheduling/time-slice.ts';
import { holdUntilClosed } from './fair-shares.ts';
import { recordOf, replyOf } from './requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key of the request, once it is authenticated; null without one. */
    caller: Caller | null;
  }
  interface FastifyInstance {
    /** A hook that sets `request.caller`. Rejects for an invalid key, under overload, and beyond the rate limit. */
    authenticate(request: FastifyRequest): Promise<void>;
    /** The same for a key that came in a message on a WebSocket. */
    authenticateKey(key: string, connection: object, request: IncomingMessage): Promise<Caller>;
    /** Authenticates a key afresh, not from the cache. */
    renewKey(key: string): Promise<Caller>;
  }
}

/** Decorates the server with authentication by API key. */
export const authentication = fp(
  async (app: FastifyInstance) => {
    const { addressLimit, shares } = app;
    const authenticate = createKeyCache(app);
    /** Clients that have sent too many unknown keys are suspect: their keys are looked up in batches. */
    const findCaller = async (key: string, request: IncomingMessage, connection: object): Promise<Caller> => {
      // Before the lookup, which needs a connection.
      app.assertNotOverloaded(authenticate.lastKnownId(key, connection));
      const isSuspect = addressLimit.isExceeded(request) || app.isOverloaded();
      try {
        return await authenticate(key, connection, { isSuspect });
      } catch (error) {
        if (error instanceof Unauthenticated) addressLimit.count(request);
        throw error;
      }
    };
    app.decorateRequest('caller', null);
    app.decorate('authenticate', async request => {
      const key = request.headers['x-api-key'];
      if (Array.isArray(key)) throw new Unauthenticated('The header x-api-key came more than once.');
      if (!key) {
        app.assertNotOverloaded(undefined);
        addressLimit.count(request.raw);
        return;
      }
      const cached = authenticate.cached(key, request.raw.socket);
      const caller = cached ?? (await findCaller(key, request.raw, request.raw.socket));
      app.assertNotOverloaded(caller.keyId);
      recordOf(request).keyId = caller.keyId;
      app.origins.check(request, caller);
      if (caller.scope.publishable) {
        recordOf(request).isPublishable = true;
        // Its guests share the key: a limit of the key would let one of them lock out the others.
        addressLimit.countPublishable(request.raw, caller.keyId);
      } else if (app.countRequest) await app.countRequest(request);
      if (isUpload(request)) await holdUntilClosed(shares.uploads, caller.keyId, replyOf(request).raw);
      request.caller = caller;
    });
    app.decorate('authenticateKey', async (key, connection, request) => {
      const caller = authenticate.cached(key, connection) ?? (await findCaller(key, request, connection));
      app.origins.checkConnection(request, caller);
      app.assertNotOverloaded(caller.keyId);
      if (caller.scope.publishable) addressLimit.countPublishable(request, caller.keyId);
      else await app.countMessage?.(caller.keyId);
      return caller;
    });
    app.decorate('renewKey', key => authenticate.renew(key));
  },
  {
    name: 'authentication',
    dependencies: ['address-limit', 'cors', 'database', 'fair-shares', 'load-shedding', 'rate-limit', 'requests'],
  },
);

function createKeyCache(app: FastifyInstance): Authenticate {
  const { config, database, log } = app;
  const usage = new KeyUsage(database.primary, error =>
    log.warn({ err: error }, 'The last use of API keys could not be recorded'),
  );
  app.addHook('onClose', () => usage.close());
  return createAuthenticator(database.primary, {
    seconds: config.keyCacheTtlSeconds,
    onUse: (keyId, usedAt) => usage.record(keyId, usedAt),
  });
}

/** A body of unknown length counts as large. */
function isUpload({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) >= largeBodyBytes;
}
