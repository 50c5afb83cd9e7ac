import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { TooManyRequests } from '../errors.ts';
import { createAddressOf } from './client-address.ts';

const windowMs = 60_000;
/** Addresses that are counted at a time; beyond that, the least recently used one is evicted. */
const maxAddresses = 10_000;

/** Limits requests without a valid API key by the address of the client. Requests with one are never counted, whoever shares the address. */
export interface AddressLimit {
  /** Whether the client has used up its requests. */
  isExceeded(request: IncomingMessage): boolean;
  /** Counts a request; throws `TooManyRequests` beyond the limit. */
  count(request: IncomingMessage): void;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

export function createAddressLimit(
  { addressRateLimit: perMinute, trustedProxies }: Pick<Config, 'addressRateLimit' | 'trustedProxies'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): AddressLimit {
  const addressOf = createAddressOf(trustedProxies);
  const buckets = new LRUCache<string, Bucket>({ max: maxAddresses });
  let hasWarned = false;

  function fill(request: IncomingMessage): Bucket {
    const address = addressOf(request);
    const now = performance.now();
    const bucket = buckets.get(address) ?? { tokens: perMinute, filledAt: now };
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.filledAt) / windowMs) * perMinute);
    bucket.filledAt = now;
    buckets.set(address, bucket);
    return bucket;
  }

  /** All clients of a proxy that is not named have one address. Those with a key are served all the same. */
  function warnOfProxy({ headers, socket }: IncomingMessage): void {
    if (hasWarned || headers['x-forwarded-for'] === undefined || trustedProxies.length > 0) return;
    hasWarned = true;
    const message =
      'Clients behind a proxy share one limit on requests without an API key: name its network in CARTE_TRUST_PROXY';
    log.warn({ proxy: socket.remoteAddress }, message);
  }

  return {
    isExceeded: request => perMinute > 0 && fill(request).tokens < 1,
    count(request) {
      if (perMinute === 0) return;
      const bucket = fill(request);
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return;
      }
      warnOfProxy(request);
      const message = `An address may make ${perMinute} requests a minute without a valid API key.`;
      const retryAfterSeconds = Math.ceil(((1 - bucket.tokens) / perMinute) * (windowMs / 1_000));
      throw new TooManyRequests(message, { retryAfterSeconds });
    },
  };
}
