import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { Reading } from '../lookup.ts';
import type { Query } from '../statement.ts';
import { createLookUp } from './lookup.ts';

export interface QueryOptions {
  /** Without it no statement is kept on a connection, as PgBouncer needs it. */
  readonly prepare: boolean;
}

/** Queries on the ORM's own pool. */
export async function createQuery(orm: MikroORM, options: QueryOptions): Promise<Query> {
  return queryOn(await orm.em.getConnection().getNativeClient(), options);
}

export function queryOn(connection: Pool | PoolClient, { prepare }: QueryOptions): Query {
  return async ({ text, name }, values) => {
    const query = prepare && name !== undefined ? { text, name, values: [...values] } : { text, values: [...values] };
    return (await connection.query(query)).rows;
  };
}

/** The ways in which requests read. */
export async function createReading(orm: MikroORM, options: QueryOptions): Promise<Reading> {
  const query = await createQuery(orm, options);
  return { query, lookUp: createLookUp(query) };
}
