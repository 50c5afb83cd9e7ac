import type { FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '../auth/authenticate.ts';
import { Unauthenticated } from '../errors.ts';
import type { LoadShedding } from './load-shedding.ts';
import type { RateLimit } from './rate-limit.ts';
import { recordOf } from './requests.ts';

export interface CallerOptions {
  readonly authenticate: Authenticate;
  readonly overload: LoadShedding;
  /** Absent: keys may ask as much as they like. */
  readonly rateLimit: RateLimit | undefined;
}

/** Says who is calling; undefined for a request without a key. It is the first thing a request needs the database for. */
export function createCallerLookup(options: CallerOptions): (request: FastifyRequest) => Promise<Caller | undefined> {
  const { authenticate, overload, rateLimit } = options;
  return async request => {
    const key = request.headers['x-api-key'];
    if (Array.isArray(key)) throw new Unauthenticated('The header x-api-key came more than once.');
    if (!key) return undefined;
    overload.check();
    const found = authenticate(key, request.raw.socket);
    const caller = found instanceof Promise ? await found : found;
    const record = recordOf(request);
    record.keyId = caller.keyId;
    rateLimit?.take(caller.keyId, headers => record.reply.headers(headers));
    return caller;
  };
}
