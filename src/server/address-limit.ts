import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { TooManyRequests } from '../errors.ts';
import { TokenBucket } from '../scheduling/token-bucket.ts';
import { type AddressOf, createAddressOf } from './client-address.ts';

/** Addresses that are counted at a time; beyond that, the least recently used one is evicted. */
const maxAddresses = 10_000;

/** Limits requests without a valid API key by the address of the client. Requests with one are never counted, whoever shares the address. */
export interface AddressLimit {
  /** Whether the client has used up its requests. */
  isExceeded(request: IncomingMessage): boolean;
  /** Counts a request; throws `TooManyRequests` beyond the limit. */
  count(request: IncomingMessage): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly addressOf: AddressOf;
    readonly addressLimit: AddressLimit;
  }
}

/** Decorates the server with the address of a client, and the limit on requests of that address. */
export const addressLimit = fp(
  async (app: FastifyInstance) => {
    const addressOf = createAddressOf(app.config.trustedProxies);
    app.decorate('addressOf', addressOf);
    app.decorate('addressLimit', createAddressLimit(app.config, addressOf, app.log));
  },
  { name: 'address-limit' },
);

function createAddressLimit(
  { addressRateLimit: perMinute, trustedProxies }: Pick<Config, 'addressRateLimit' | 'trustedProxies'>,
  addressOf: AddressOf,
  log: Pick<FastifyBaseLogger, 'warn'>,
): AddressLimit {
  const buckets = new LRUCache<string, TokenBucket>({ max: maxAddresses });
  let hasWarned = false;

  function bucketOf(request: IncomingMessage): TokenBucket {
    const address = addressOf(request);
    const bucket = buckets.get(address) ?? new TokenBucket({ burst: perMinute, perSecond: perMinute / 60 });
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
    isExceeded: request => perMinute > 0 && bucketOf(request).waitMs(1) > 0,
    count(request) {
      if (perMinute === 0) return;
      const bucket = bucketOf(request);
      if (bucket.tryTake()) return;
      warnOfProxy(request);
      const message = `An address may make ${perMinute} requests a minute without a valid API key.`;
      throw new TooManyRequests(message, { retryAfterSeconds: Math.ceil(bucket.waitMs(1) / 1_000) });
    },
  };
}
