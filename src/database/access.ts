import type { MikroORM } from '@mikro-orm/postgresql';
import type { Access } from '../lookup.ts';
import { createLookUp } from './lookup.ts';
import { type QueryOptions, queryOn } from './query.ts';
import { transactOn } from './transaction.ts';

/** What requests use of the ORM's own pool. */
export async function createAccess(orm: MikroORM, options: QueryOptions): Promise<Access> {
  const pool = await orm.em.getConnection().getNativeClient();
  const query = queryOn(pool, options);
  return { query, lookUp: createLookUp(query), transact: transactOn(pool, options) };
}
