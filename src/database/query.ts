import type { MikroORM } from '@mikro-orm/postgresql';
import type { Query } from '../statement.ts';

/** Queries on the ORM's own pool. Without `prepare` no statement is kept on a connection, as PgBouncer needs it. */
export async function createQuery(orm: MikroORM, { prepare }: { readonly prepare: boolean }): Promise<Query> {
  const pool = await orm.em.getConnection().getNativeClient();
  return async ({ text, name }, values) => {
    const query = prepare && name !== undefined ? { text, name, values: [...values] } : { text, values: [...values] };
    return (await pool.query(query)).rows;
  };
}
