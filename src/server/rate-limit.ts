import { TooManyRequests } from '@carte/base/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { recordOf, replyOf } from './requests.ts';

const windowMs = 60_000;
/** Keys whose requests are counted at a time; beyond that, the least recently used one is evicted. */
const maxKeys = 10_000;

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request of its key, in this process; rejects beyond the limit. Absent without one. */
    countRequest?(request: FastifyRequest): Promise<unknown>;
    /** Counts a message of a key on a WebSocket together with its requests. */
    countMessage?(keyId: string): Promise<void>;
  }
}

/** Limits the requests of each key; authentication counts them, which knows the key. */
export const rateLimit = fp(
  async (app: FastifyInstance) => {
    const { rateLimit: perMinute } = app.config;
    if (perMinute === 0) return;
    await registerLimit(app, perMinute);
    const limit = app.rateLimit();
    app.decorate('countRequest', async request => limit.call(app, request, replyOf(request)));
    const count = app.createRateLimit();
    app.decorate('countMessage', async keyId => {
      // All that the plugin and `keyGenerator` read of a request.
      const request = { record: { keyId }, routeOptions: {} } as FastifyRequest;
      const limit = await count(request);
      if (!limit.isAllowed && limit.isExceeded) throw exceeded(limit.max, limit.ttl);
    });
  },
  { name: 'rate-limit', dependencies: ['requests'] },
);

async function registerLimit(app: FastifyInstance, perMinute: number): Promise<void> {
  const setPolicy = (request: FastifyRequest) => {
    replyOf(request).header('ratelimit-policy', `${perMinute};w=${windowMs / 1_000}`);
  };
  await app.register(import('@fastify/rate-limit'), {
    global: false,
    max: perMinute,
    timeWindow: windowMs,
    cache: maxKeys,
    enableDraftSpec: true,
    keyGenerator: request => recordOf(request).keyId ?? '',
    onExceeding: setPolicy,
    onExceeded: setPolicy,
    errorResponseBuilder: (_request, { max, ttl }) => exceeded(max, ttl),
  });
}

function exceeded(perMinute: number, ttlMs: number): TooManyRequests {
  const message = `This API key may make ${perMinute} requests a minute.`;
  return new TooManyRequests(message, { retryAfterSeconds: Math.ceil(ttlMs / 1_000) });
}
