import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TooManyRequests } from '../errors.ts';
import { recordOf, replyOf } from './requests.ts';

const windowMs = 60_000;
/** Keys whose requests are counted at a time; beyond that, the least recently used one is evicted. */
const maxKeys = 10_000;

/** Provides `app.rateLimit()`, which authentication applies to each key. Requests are counted in this process. */
export async function registerRateLimit(app: FastifyInstance, perMinute: number): Promise<void> {
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

/** Counts messages of a key on WebSockets together with its requests. */
export function createMessageLimit(app: FastifyInstance): (keyId: string) => Promise<void> {
  const count = app.createRateLimit();
  return async keyId => {
    // All that the plugin and `keyGenerator` read of a request.
    const request = { record: { keyId }, routeOptions: {} } as FastifyRequest;
    const limit = await count(request);
    if (!limit.isAllowed && limit.isExceeded) throw exceeded(limit.max, limit.ttl);
  };
}

function exceeded(perMinute: number, ttlMs: number): TooManyRequests {
  const message = `This API key may make ${perMinute} requests a minute.`;
  return new TooManyRequests(message, { retryAfterSeconds: Math.ceil(ttlMs / 1_000) });
}
