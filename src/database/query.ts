import type { Pool, PoolClient } from 'pg';
import type { Query, Statement } from '../statement.ts';
import { queryPrepared } from './prepared.ts';

export interface QueryOptions {
  /** Without it no statement is kept on a connection, as PgBouncer needs it. */
  readonly prepare: boolean;
}

export function queryOn(connection: Pool | PoolClient, { prepare }: QueryOptions): Query {
  return async <Row>({ text, name }: Statement, values: readonly unknown[]) => {
    if (prepare && name !== undefined) {
      try {
        return (await queryPrepared(connection, { text, name }, values)) as Row[];
      } catch (error) {
        // Who asked, rather than where in the driver the answer arrived; `pg` does the same for its own queries.
        if (error instanceof Error) Error.captureStackTrace(error);
        throw error;
      }
    }
    return (await connection.query({ text, values: [...values] })).rows;
  };
}
