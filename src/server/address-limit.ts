import type { IncomingMessage } from 'node:http';
import { TooManyRequests } from '@carte/base/errors';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import { type TokenBucket, tokenBuckets } from '../scheduling/token-bucket.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The network that counts as one client: a single IPv4 address, or the /64 that a customer of IPv6 has. */
    addressOf(request: IncomingMessage): string;
    readonly addressLimit: ReturnType<typeof createAddressLimit>;
  }
}

/** Decorates the server with the address of a client, and the limit on requests of that address. */
export const addressLimit = fp(
  async (app: FastifyInstance) => {
    // Reads X-Forwarded-For only as far as proxies in these networks have written it.
    const isTrusted = proxyAddr.compile([...app.config.trustedProxies]);
    app.decorate('addressOf', request => networkOf(proxyAddr(request, isTrusted)));
    app.decorate('addressLimit', createAddressLimit(app));
  },
  { name: 'address-limit' },
);

/** Limits requests by the address of the client. Those with a valid secret key are never counted, whoever shares the address. */
function createAddressLimit({ config, addressOf, log }: FastifyInstance) {
  const { addressRateLimit, publishableRateLimit, trustedProxies } = config;
  const anonymous = tokenBuckets(addressRateLimit, 60);
  const publishable = tokenBuckets(publishableRateLimit, 60);
  let hasWarned = false;

  /** All clients of a proxy that is not named have one address, and so count as one guest. Those with a secret key are served all the same. */
  function warnOfProxy({ headers, socket }: IncomingMessage): void {
    if (hasWarned || headers['x-forwarded-for'] === undefined || trustedProxies.length > 0) return;
    hasWarned = true;
    const message =
      'All clients behind a proxy count as one where they have no secret API key: name its network in CARTE_TRUST_PROXY';
    log.warn({ proxy: socket.remoteAddress }, message);
  }

  function take(bucket: TokenBucket, request: IncomingMessage, rule: string): void {
    if (bucket.tryTake()) return;
    warnOfProxy(request);
    throw new TooManyRequests(rule, { retryAfterSeconds: Math.ceil(bucket.waitMs(1) / 1_000) });
  }

  return {
    /** Whether the client has used up its requests without a valid API key. */
    isExceeded: (request: IncomingMessage): boolean =>
      addressRateLimit > 0 && anonymous.memo(addressOf(request)).waitMs(1) > 0,
    /** Counts a request without a valid API key; throws `TooManyRequests` beyond the limit. */
    count(request: IncomingMessage): void {
      if (addressRateLimit === 0) return;
      const rule = `An address may make ${addressRateLimit} requests a minute without a valid API key.`;
      take(anonymous.memo(addressOf(request)), request, rule);
    },
    /** Counts a request with a publishable key; throws `TooManyRequests` beyond the limit. */
    countPublishable(request: IncomingMessage, keyId: string): void {
      // At the first: guests share more than this limit by their address.
      warnOfProxy(request);
      if (publishableRateLimit === 0) return;
      const rule = `An address may make ${publishableRateLimit} requests a minute with a publishable key.`;
      take(publishable.memo(`${keyId} ${addressOf(request)}`), request, rule);
    },
  };
}

function networkOf(text: string | undefined): string {
  // Undefined on a socket that is closed already, and a proxy may write any text.
  if (text === undefined || !ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return new ipaddr.IPv6([...address.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)]).toString();
}
