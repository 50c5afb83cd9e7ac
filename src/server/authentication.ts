import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '../auth/authenticate.ts';
import { Unauthenticated } from '../errors.ts';
import type { FairQueue } from '../scheduling/fair-queue.ts';
import { largeBodyBytes } from '../scheduling/large-body.ts';
import type { AddressLimit } from './address-limit.ts';
import { holdUntilClosed } from './fair-shares.ts';
import { createMessageLimit } from './rate-limit.ts';
import { recordOf, replyOf } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Resolves to undefined without a key. Rejects for an invalid key, under overload, and beyond the rate limit. */
    authenticate(request: FastifyRequest): Promise<Caller | undefined>;
    /** The same for a key that came in a message on a WebSocket. */
    authenticateKey(key: string, connection: object, request: IncomingMessage): Promise<Caller>;
  }
}

export interface AuthenticationOptions {
  readonly authenticate: Authenticate;
  readonly addressLimit: AddressLimit;
  /** For requests with large bodies. */
  readonly uploads: FairQueue;
}

/** Decorates the server with authentication by API key. After the plugins for load shedding and the rate limit. */
export function registerAuthentication(
  app: FastifyInstance,
  { authenticate, addressLimit, uploads }: AuthenticationOptions,
): void {
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
  const limitRate = app.hasDecorator('rateLimit') ? app.rateLimit() : undefined;
  app.decorate('authenticate', async request => {
    const key = request.headers['x-api-key'];
    if (Array.isArray(key)) throw new Unauthenticated('The header x-api-key came more than once.');
    if (!key) {
      app.assertNotOverloaded(undefined);
      addressLimit.count(request.raw);
      return undefined;
    }
    const cached = authenticate.cached(key, request.raw.socket);
    const caller = cached ?? (await findCaller(key, request.raw, request.raw.socket));
    app.assertNotOverloaded(caller.keyId);
    recordOf(request).keyId = caller.keyId;
    const reply = replyOf(request);
    if (limitRate) await limitRate.call(app, request, reply);
    if (isUpload(request)) await holdUntilClosed(uploads, caller.keyId, reply.raw);
    return caller;
  });
  const countMessage = app.hasDecorator('createRateLimit') ? createMessageLimit(app) : undefined;
  app.decorate('authenticateKey', async (key, connection, request) => {
    const caller = authenticate.cached(key, connection) ?? (await findCaller(key, request, connection));
    app.assertNotOverloaded(caller.keyId);
    await countMessage?.(caller.keyId);
    return caller;
  });
}

/** A body of unknown length counts as large. */
function isUpload({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) >= largeBodyBytes;
}
