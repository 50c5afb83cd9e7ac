import type { MikroORM } from '@mikro-orm/postgresql';
import type { Reading } from '../lookup.ts';
import type { Query } from '../statement.ts';
import { createLookUp } from './lookup.ts';

/** Queries on the ORM's own pool. Without `prepare` no statement is kept on a connection, as PgBouncer needs it. */
export async function createQuery(orm: MikroORM, { prepare }: { readonly prepare: boolean }): Promise<Query> {
  const pool = await orm.em.getConnection().getNativeClient();
  return async ({ text, name }, values) => {
    const query = prepare && name !== undefined ? { text, name, values: [...values] } : { text, values: [...values] };
    return (await pool.query(query)).rows;
  };
}

/** The ways in which requests read. */
export async function createReading(orm: MikroORM, options: { readonly prepare: boolean }): Promise<Reading> {
  const query = await createQuery(orm, options);
  return { query, lookUp: createLookUp(query) };
}
