import { prepared, type Query } from '../database/query.ts';
import { Unauthenticated } from '../errors.ts';
import { hashKey } from './keys.ts';
import type { AccessScope } from './scope.ts';

/** Who is calling: the key's own identifier, for the log, and its scope. */
export interface Caller {
  readonly keyId: string;
  readonly scope: AccessScope;
}

/** The caller behind a key that came over a connection; throws `Unauthenticated`. */
export type Authenticate = (key: string, connection?: object) => Caller | Promise<Caller>;

export interface AuthenticatorOptions {
  /** How long a key that was found is believed; so long a revoked one may still be good. */
  readonly seconds: number;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** Keys beyond this number are looked up each time. */
const mostKnown = 10_000;

/** Looks keys up in the database, and remembers the good ones for a few seconds. */
export function createAuthenticator(query: Query, { seconds, now = Date.now }: AuthenticatorOptions): Authenticate {
  // By their hashes, so that no memory dump shows the keys of all who called.
  const known = new Map<string, Known>();
  // A connection mostly sends one key again and again, and to hash it costs more than all else here.
  const last = new WeakMap<object, { readonly key: string; readonly name: string }>();
  const nameOf = (key: string, connection: object | undefined): string => {
    const sent = connection && last.get(connection);
    if (sent?.key === key) return sent.name;
    const name = hashKey(key).toString('latin1');
    if (connection) last.set(connection, { key, name });
    return name;
  };
  const learn = async (name: string): Promise<Caller> => {
    known.delete(name);
    // Believed from the moment of asking, not of the answer.
    const asked = now();
    const row = await lookUp(query, Buffer.from(name, 'latin1'));
    const until = Math.min(asked + seconds * 1000, row.expiresAt ?? Number.POSITIVE_INFINITY);
    if (seconds > 0 && known.size >= mostKnown) known.clear();
    if (seconds > 0) known.set(name, { caller: row.caller, until });
    return row.caller;
  };
  return (key, connection) => {
    const name = nameOf(key, connection);
    const found = known.get(name);
    return found && found.until > now() ? found.caller : learn(name);
  };
}

interface Known {
  readonly caller: Caller;
  readonly until: number;
}

interface Row extends AccessScope {
  readonly keyId: string;
  readonly expiresAt: number | null;
}

const statement = prepared(`
  select k.id as "keyId", (extract(epoch from k.expires_at) * 1000)::float8 as "expiresAt",
    k.all_access as "all", k.can_write as "canWrite",
    coalesce(array_agg(g.merchant_id) filter (where g.merchant_id is not null), '{}') as "merchantIds",
    coalesce(array_agg(s.id) filter (where s.id is not null), '{}') as "storeIds",
    coalesce(array_agg(distinct s.merchant_id) filter (where s.merchant_id is not null), '{}') as "merchantIdsOfStores"
  from api_key k
  left join api_key_grant g on g.key_id = k.id
  left join store s on s.id = g.store_id
  where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  group by k.id`);

/** One sentence for keys that are unknown, revoked or expired: it tells them apart for nobody. */
async function lookUp(query: Query, hash: Buffer): Promise<{ caller: Caller; expiresAt: number | null }> {
  const [row] = await query<Row>(statement, [hash]);
  if (!row) throw new Unauthenticated('The API key in the header x-api-key is not known, or no longer valid.');
  const { keyId, expiresAt, ...scope } = row;
  return { caller: { keyId, scope }, expiresAt };
}
