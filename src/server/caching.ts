import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { everything, tagOf } from '../edge/tags.ts';
import type { SharedRead } from '../execution/cacheable.ts';
import { corsHeaders } from './cors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where the response is the same for everyone with this URL, until its store changes. */
    sharedRead: SharedRead | null;
  }
}

/**
 * Decides what caches may do with a response: whatever does not say that it is public may depend on the API key. With an ETag the client
 * may store and revalidate it; without one nobody may store it, because a shared cache would hand it to the holders of other keys.
 */
export const caching = fp(
  async (app: FastifyInstance) => {
    app.decorateRequest('sharedRead', null);
    const share = createSharing(app);
    app.addHook('onSend', (request, reply, payload, done) => {
      reply.header('x-content-type-options', 'nosniff');
      const { sharedRead } = request;
      if (sharedRead && (reply.statusCode === 200 || reply.statusCode === 304)) share(request, reply, sharedRead);
      keepPrivate(reply);
      done(null, payload);
    });
  },
  { name: 'caching' },
);

function keepPrivate(reply: FastifyReply): void {
  if (reply.hasHeader('cache-control')) return;
  reply.header('cache-control', reply.hasHeader('etag') ? 'private, no-cache' : 'no-store');
}

/** What took longer may reach a cache after the last purge of what has changed since. */
const maxElapsedMs = 5_000;

/** Creates the function that lets caches store a response by its URL, with a lifetime that ends when time alone would change it. */
function createSharing({ config }: FastifyInstance) {
  const { seconds: maxSeconds, staleSeconds } = config.edge;
  return (request: FastifyRequest, reply: FastifyReply, { storeId, hasMenu, dueInSeconds }: SharedRead): void => {
    const { caller, headers } = request;
    const { origins: [origin, ...others] = [], publishable } = caller?.scope ?? {};
    // It would have to vary by the origin, which not all caches can.
    const isForAll = others.length === 0 && (headers.origin === undefined || headers.origin === origin);
    if (!caller || !publishable || !isForAll || maxSeconds === 0 || reply.elapsedTime > maxElapsedMs) return;
    const never = Number.POSITIVE_INFINITY;
    const keyEndsInSeconds = ((caller.expiresAt ?? never) - Date.now()) / 1_000;
    // What is due was read after the request began.
    const dueSeconds = (dueInSeconds ?? never) - reply.elapsedTime / 1_000;
    const left = Math.floor(Math.min(keyEndsInSeconds, dueSeconds));
    if (left < 1) return;
    const seconds = Math.min(maxSeconds, left);
    const tags = [
      everything,
      tagOf('store', storeId),
      ...(hasMenu ? [tagOf('menu', storeId)] : []),
      tagOf('key', caller.keyId),
    ];
    for (const name of Object.keys(corsHeaders(''))) reply.removeHeader(name);
    reply.headers({
      ...(origin !== undefined && corsHeaders(origin)),
      'cache-control': `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=${Math.min(staleSeconds, left - seconds)}`,
      'cache-tag': tags.join(','),
      'surrogate-key': tags.join(' '),
      vary: 'accept-encoding',
    });
  };
}
