import type { IncomingMessage } from 'node:http';
import { Unauthenticated } from '@carte/base/errors';
import { addVary } from '@carte/operations/http/vary';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { createAuthenticator } from '../auth/key-cache.ts';
import { createKeyUsage } from '../auth/key-usage.ts';
import { isKey, isPublishable } from '../auth/keys.ts';
import type { Share } from '../scheduling/current-request.ts';
import type { Caller } from '../scope.ts';
import { assertGuestBody } from './bodies.ts';
import { createGuestConnections } from './fair-shares.ts';
import { recordOf, replyOf } from './requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key of the request, once it is authenticated; null without one. */
    caller: Caller | null;
    /** Whether the key was in the URL, by which a cache at the edge tells it from others (docs/decisions/0029-reads-at-the-edge.md). */
    isKeyInUrl: boolean;
  }
  interface FastifyInstance {
    /** The share of a caller in what this process has. */
    shareOf(caller: Caller, request: IncomingMessage): Share;
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
    const { addressLimit, addressOf } = app;
    const { primary } = app.database;
    const usage = createKeyUsage(primary, error =>
      app.log.warn({ err: error }, 'The last use of API keys could not be recorded'),
    );
    app.addHook('onClose', () => usage.close());
    const authenticate = createAuthenticator(primary, {
      seconds: app.config.keyCacheTtlSeconds,
      onUse: usage.record,
    });
    const keepsAlive = createGuestConnections(app.config);
    const shareOf = ({ keyId, scope }: Caller, request: IncomingMessage): Share =>
      scope.publishable ? { id: `${keyId} ${addressOf(request)}`, isGuest: true } : { id: keyId, isGuest: false };
    /** Unknown keys are looked up in larger batches under overload, and if their client has sent too many. */
    const findCaller = async (key: string, request: IncomingMessage, connection: object): Promise<Caller> => {
      const lastKnown = authenticate.lastKnown(key, connection);
      app.assertNotOverloaded(lastKnown ? shareOf(lastKnown, request) : 'unseen');
      const isSuspect = addressLimit.isExceeded(request) || app.isOverloaded();
      try {
        return await authenticate(key, connection, { isSuspect });
      } catch (error) {
        if (error instanceof Unauthenticated) addressLimit.count(request);
        throw error;
      }
    };
    /** A guest's part is counted by address: one of them must not lock out the others of the same key. */
    const admitGuest = (request: FastifyRequest, { keyId }: Caller) => {
      recordOf(request).isForGuests = true;
      addressLimit.countPublishable(request.raw, keyId);
      assertGuestBody(request);
      if (!keepsAlive(request.raw.socket)) replyOf(request).header('connection', 'close');
    };
    app.decorateRequest('caller', null);
    app.decorateRequest('isKeyInUrl', false);
    app.decorate('shareOf', shareOf);
    app.decorate('authenticate', async request => {
      addVary(replyOf(request), 'x-api-key');
      takeKeyOfUrl(request);
      const key = request.headers['x-api-key'];
      if (Array.isArray(key)) throw new Unauthenticated('The header x-api-key came more than once.');
      if (!key) {
        app.assertNotOverloaded(undefined);
        addressLimit.count(request.raw);
        return;
      }
      const cached = authenticate.cached(key, request.raw.socket);
      const caller = cached ?? (await findCaller(key, request.raw, request.raw.socket).catch(nameParameter(request)));
      const share = shareOf(caller, request.raw);
      app.assertNotOverloaded(share);
      const record = recordOf(request);
      record.keyId = caller.keyId;
      record.share = share;
      app.origins.check(request, caller);
      if (share.isGuest) admitGuest(request, caller);
      else if (app.countRequest) await app.countRequest(request);
      request.caller = caller;
    });
    app.decorate('authenticateKey', async (key, connection, request) => {
      const caller = authenticate.cached(key, connection) ?? (await findCaller(key, request, connection));
      app.origins.checkConnection(request, caller);
      app.assertNotOverloaded(shareOf(caller, request));
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

/** Says of a key that is not known where it stood, if that was the URL. */
const nameParameter =
  (request: FastifyRequest) =>
  (error: unknown): never => {
    if (!(request.isKeyInUrl && error instanceof Unauthenticated)) throw error;
    throw new Unauthenticated('The API key in the parameter key is not known, or no longer valid.');
  };

/** Takes a publishable key from the query string of a GET for that of the header; anything else that is no key is a parameter of a route. */
function takeKeyOfUrl(request: FastifyRequest): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') return;
  const key = (request.query as Readonly<Record<string, unknown>>).key;
  if (typeof key !== 'string' || !isKey(key)) return;
  if (!isPublishable(key)) {
    throw new Unauthenticated(
      'A secret API key does not belong into a URL: send it as x-api-key, and replace this one.',
    );
  }
  if (request.headers['x-api-key'])
    throw new Unauthenticated('An API key came in the URL and in the header x-api-key.');
  request.headers['x-api-key'] = key;
  request.isKeyInUrl = true;
}
