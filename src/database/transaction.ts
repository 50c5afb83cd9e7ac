import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Query, Statement, Transact } from '../statement.ts';
import { type QueryOptions, queryOn } from './query.ts';

/** Transactions on a pool, whose statements are kept as those of reads are: to plan a large one costs more than to run it. */
export function transactOn(pool: Pool, options: QueryOptions): Transact {
  return async work => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(queryOn(client, options));
      await client.query('commit');
      return result;
    } catch (error) {
      failure = await rollBack(client);
      throw error;
    } finally {
      // One that could not be rolled back is of no use to the next.
      client.release(failure);
    }
  };
}

async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Work within a transaction that is open already, and ends with it. */
export function transactWithin(em: EntityManager): Transact {
  const query: Query = async <Row>({ text }: Statement, values: readonly unknown[]) => {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>);
    return rows;
  };
  return work => work(query);
}
