import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '../auth/authenticate.ts';
import { Unauthenticated } from '../errors.ts';
import { createMessageLimit } from './rate-limit.ts';
import { recordOf } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Resolves to undefined without a key. Rejects for an invalid key, under overload, and beyond the rate limit. */
    authenticate(request: FastifyRequest): Promise<Caller | undefined>;
    /** The same for a key that came in a message on a WebSocket. */
    authenticateKey(key: string, connection: object): Promise<Caller>;
  }
}

/** Decorates the server with authentication by API key. After the plugins for load shedding and the rate limit. */
export function registerAuthentication(app: FastifyInstance, authenticate: Authenticate): void {
  const limitRate = app.hasDecorator('rateLimit') ? app.rateLimit() : undefined;
  app.decorate('authenticate', async request => {
    const key = request.headers['x-api-key'];
    if (Array.isArray(key)) throw new Unauthenticated('The header x-api-key came more than once.');
    if (!key) return undefined;
    app.assertNotOverloaded();
    const found = authenticate(key, request.raw.socket);
    const caller = found instanceof Promise ? await found : found;
    const record = recordOf(request);
    record.keyId = caller.keyId;
    if (limitRate) await limitRate.call(app, request, record.reply);
    return caller;
  });
  const countMessage = app.hasDecorator('createRateLimit') ? createMessageLimit(app) : undefined;
  app.decorate('authenticateKey', async (key, connection) => {
    app.assertNotOverloaded();
    const caller = await authenticate(key, connection);
    await countMessage?.(caller.keyId);
    return caller;
  });
}
