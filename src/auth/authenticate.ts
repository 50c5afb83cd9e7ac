import type { MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { Unauthenticated } from '../errors.ts';
import type { Reach } from '../reach.ts';
import { hashKey } from './keys.ts';

/** Who is calling: the key's own identifier, for the log, and what it reaches. */
export interface Caller {
  readonly keyId: string;
  readonly reach: Reach;
}

const statement = `
  select k.id as "keyId", k.all_access as "all", k.can_write as "canWrite",
    coalesce(array_agg(g.merchant_id) filter (where g.merchant_id is not null), '{}') as "merchantIds",
    coalesce(array_agg(s.id) filter (where s.id is not null), '{}') as "storeIds",
    coalesce(array_agg(distinct s.merchant_id) filter (where s.merchant_id is not null), '{}') as "merchantIdsOfStores"
  from api_key k
  left join api_key_grant g on g.key_id = k.id
  left join store s on s.id = g.store_id
  where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  group by k.id`;

/** The caller behind a key. One sentence for keys that are unknown, revoked or expired: it tells them apart for nobody. */
export async function authenticate(orm: MikroORM, key: string): Promise<Caller> {
  const query = CompiledQuery.raw(statement, [hashKey(key)]) as CompiledQuery<Reach & { readonly keyId: string }>;
  const { rows } = await orm.em.fork().getKysely().executeQuery(query);
  const row = rows[0];
  if (!row) throw new Unauthenticated('The API key in the header x-api-key is not known, or no longer valid.');
  const { keyId, ...reach } = row;
  return { keyId, reach };
}
