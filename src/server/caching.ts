import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { prepared } from '../database/query.ts';
import { everything, tagOf } from '../edge/tags.ts';
import { corsHeaders } from './cors.ts';

/** The store on which a response depends and, if it has anything of its menu, so. */
export interface SharedRead {
  readonly storeId: string;
  readonly hasMenu: boolean;
}

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
      if (sharedRead && (reply.statusCode === 200 || reply.statusCode === 304)) {
        share(request, reply, sharedRead).then(isPublic => {
          if (!isPublic) keepPrivate(reply);
          done(null, payload);
        }, done);
        return;
      }
      keepPrivate(reply);
      done(null, payload);
    });
  },
  { name: 'caching', dependencies: ['database'] },
);

function keepPrivate(reply: FastifyReply): void {
  if (reply.hasHeader('cache-control')) return;
  reply.header('cache-control', reply.hasHeader('etag') ? 'private, no-cache' : 'no-store');
}

/** What took longer may reach a cache after the last purge of what has changed since. */
const maxElapsedMs = 5_000;

/** In seconds: until the key expires, something of the store ends by itself, or never. */
const lifetimeStatement = prepared(`
  select extract(epoch from least(expires_at, (select min(due_at) from due_time where store_id = $2)) - clock_timestamp())::float8 as seconds
  from api_key where id = $1 and revoked_at is null`);

/** Creates the function that lets caches store a response by its URL, with a lifetime that ends when time alone would change it; false if they must not. */
function createSharing({ config, database }: FastifyInstance) {
  const { seconds: maxSeconds, staleSeconds } = config.edge;
  return async (request: FastifyRequest, reply: FastifyReply, { storeId, hasMenu }: SharedRead): Promise<boolean> => {
    const { caller, headers } = request;
    const { origins: [origin, ...others] = [], publishable } = caller?.scope ?? {};
    // It would have to vary by the origin, which not all caches can.
    const isForAll = others.length === 0 && (headers.origin === undefined || headers.origin === origin);
    if (!caller || !publishable || !isForAll || maxSeconds === 0 || reply.elapsedTime > maxElapsedMs) return false;
    // After the response was rendered, so that nothing that it shows can end unseen.
    type Row = { readonly seconds: number | null };
    const [lifetime] = await database.primary<Row>(lifetimeStatement, [caller.keyId, storeId]);
    if (!lifetime) return false;
    const left = Math.floor(lifetime.seconds ?? Number.POSITIVE_INFINITY);
    if (left < 1) return false;
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
    return true;
  };
}
