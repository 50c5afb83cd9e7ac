import { Unauthenticated, Unavailable } from '@carte/base/errors';
import DataLoader from 'dataloader';
import { prepared, type Query } from '../database/query.ts';
import { BatchSchedule } from '../scheduling/batch-schedule.ts';
import type { AccessScope, Caller } from '../scope.ts';
import { hashKey } from './keys.ts';

export interface AuthenticatorOptions {
  /** TTL of the key cache: for so long a revoked key may still be accepted. */
  readonly seconds: number;
  /** In milliseconds. */
  readonly now?: () => number;
  /** Called when a key is used whose last recorded use is more than a minute ago; uses of a cached key are not reported. */
  readonly onUse?: (keyId: string, usedAt: Date) => void;
}

const maxCacheEntries = 10_000;
const maxBatchSize = 1_000;
/** For so long the keys of suspect clients wait for each other, so that a flood of unknown ones costs few statements. */
const suspectBatchMs = 50;
/** Suspect keys that may wait. */
const maxSuspects = 2_000;

interface CacheEntry {
  readonly caller: Caller;
  readonly expiresAt: number;
}

/**
 * Creates the function that finds the caller of an API key which arrived on a connection, or throws `Unauthenticated`. It finds keys in the database,
 * and caches valid ones; invalid ones are never cached, so that a new key works at once.
 */
export function createAuthenticator(query: Query, { seconds, now = Date.now, onUse = () => {} }: AuthenticatorOptions) {
  // By hash, so that a memory dump shows no keys.
  const cache = new Map<string, CacheEntry>();
  // A connection mostly sends the same key, and hashing it would cost more than the rest of this function.
  const lastHashes = new WeakMap<object, { readonly key: string; readonly hash: string }>();
  const hashOf = (key: string, connection: object | undefined): string => {
    const last = connection && lastHashes.get(connection);
    if (last?.key === key) return last.hash;
    const hash = hashKey(key).toString('latin1');
    if (connection) lastHashes.set(connection, { key, hash });
    return hash;
  };
  // Together: after a start, hundreds of requests come with the same few keys, and a lookup takes a connection.
  const schedule = new BatchSchedule();
  const keys = new DataLoader<string, FoundKey>(hashes => schedule.run(() => findKeys(query, hashes)), {
    cache: false,
    maxBatchSize,
    batchScheduleFn: start => schedule.next(start),
  });
  const suspects = new DataLoader<string, FoundKey>(hashes => findKeys(query, hashes), {
    cache: false,
    maxBatchSize,
    batchScheduleFn: start => void setTimeout(start, suspectBatchMs),
  });
  let waitingSuspects = 0;
  const findSuspect = async (hash: string): Promise<FoundKey> => {
    if (waitingSuspects >= maxSuspects) throw new Unavailable('Too many unknown API keys are being looked up.');
    waitingSuspects += 1;
    try {
      return await suspects.load(hash);
    } finally {
      waitingSuspects -= 1;
    }
  };
  const findCaller = async (hash: string, find: (hash: string) => Promise<FoundKey>): Promise<Caller> => {
    // The TTL starts before the query, since the key may be revoked while it runs.
    const startedAt = now();
    const { caller, expiresAt, usedAt } = await find(hash).catch((error: unknown) => {
      if (error instanceof Unauthenticated) cache.delete(hash);
      throw error;
    });
    if (usedAt) onUse(caller.keyId, usedAt);
    if (seconds > 0) {
      if (cache.size >= maxCacheEntries) cache.clear();
      cache.set(hash, { caller, expiresAt: Math.min(startedAt + seconds * 1000, expiresAt) });
    }
    return caller;
  };
  const cached = (key: string, connection?: object): Caller | undefined => {
    const entry = cache.get(hashOf(key, connection));
    return entry && entry.expiresAt > now() ? entry.caller : undefined;
  };
  const authenticate = (key: string, connection?: object, { isSuspect } = { isSuspect: false }) =>
    cached(key, connection) ?? findCaller(hashOf(key, connection), isSuspect ? findSuspect : hash => keys.load(hash));
  return Object.assign(authenticate, {
    /** Undefined if the database must be asked. */
    cached,
    /** As the key was when it was last valid, which says nothing about now. */
    lastKnown: (key: string, connection?: object) => cache.get(hashOf(key, connection))?.caller,
    /** Finds it in the database even if it is cached; several keys at a time in one statement. */
    renew: (key: string) => findCaller(hashOf(key, undefined), hash => keys.load(hash)),
  });
}

type FoundKey = CacheEntry & Pick<KeyRow, 'usedAt'>;

interface KeyRow extends AccessScope {
  readonly hash: Buffer;
  readonly keyId: string;
  readonly expiresAt: number | null;
  /** This use, if it is to be recorded: not in each of many processes, since the database knows the last one. */
  readonly usedAt: Date | null;
}

const statement = prepared(`
  select k.hash, k.id as "keyId", (extract(epoch from k.expires_at) * 1000)::float8 as "expiresAt",
    case when k.last_used_at is null or k.last_used_at < now() - interval '1 minute' then now() end as "usedAt",
    k.all_access as "all", k.permissions, k.publishable, k.origins, k.name as "keyName",
    coalesce(array_agg(g.merchant_id) filter (where g.merchant_id is not null), '{}') as "merchantIds",
    coalesce(array_agg(s.id) filter (where s.id is not null), '{}') as "storeIds",
    coalesce(array_agg(distinct s.merchant_id) filter (where s.merchant_id is not null), '{}') as "merchantIdsOfStores",
    coalesce(json_object_agg(s.id, s.merchant_id) filter (where s.id is not null), '{}') as "merchantsByStore"
  from api_key k
  left join api_key_grant g on g.key_id = k.id
  left join store s on s.id = g.store_id
  where k.hash = any($1) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  group by k.id`);

/** Has the same error for unknown, revoked and expired keys, so that a caller cannot tell them apart. */
async function findKeys(query: Query, hashes: readonly string[]): Promise<(FoundKey | Unauthenticated)[]> {
  const rows = await query<KeyRow>(statement, [[...new Set(hashes)].map(hash => Buffer.from(hash, 'latin1'))]);
  const found = new Map(
    rows.map(({ hash, expiresAt, usedAt, ...scope }): [string, FoundKey] => {
      const caller = { keyId: scope.keyId, scope, ...(expiresAt !== null && { expiresAt }) };
      return [hash.toString('latin1'), { caller, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY, usedAt }];
    }),
  );
  return hashes.map(
    hash =>
      found.get(hash) ?? new Unauthenticated('The API key in the header x-api-key is not known, or no longer valid.'),
  );
}
