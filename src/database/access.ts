import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Query } from './query.ts';
import { currentRequest } from './statements.ts';

/** The connections that repositories read from. */
export interface ReadAccess {
  /** For its metadata and its query builder. */
  readonly em: EntityManager;
  /** For lists and whole configurations, which a replica may serve. */
  readonly query: Query;
  /** For single rows, where checking a replica's replay position would cost as much as the read. */
  readonly primary: Query;
}

/** Reads from the ORM's own pool. */
export async function createReadAccess(orm: MikroORM): Promise<ReadAccess> {
  const query = queryOn(await orm.em.getConnection().getNativeClient());
  return { em: orm.em.fork(), query, primary: query };
}

export function queryOn(connection: pg.Pool | pg.ClientBase): Query {
  return async (text, values, rowMode) => {
    const config: pg.QueryConfig & { rowMode?: string } = { text, values: [...values], ...(rowMode && { rowMode }) };
    const { rows } = await (connection instanceof pg.Pool ? queryPool(connection, config) : connection.query(config));
    return rows;
  };
}

/**
 * Does what `pool.query` does, but in the caller's async context: that one sends a statement that waited for a connection from another.
 * Not by `AsyncLocalStorage.bind`, which would chain the contexts of successive requests and keep them all in memory.
 */
function queryPool(pool: pg.Pool, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const request = currentRequest.getStore();
  return new Promise((resolve, reject) => {
    pool.connect((connectError, client, release) => {
      if (!client) return reject(connectError);
      currentRequest.run(request, () =>
        client.query(config, (error: Error | null, result) => {
          // A client with an error is removed from the pool.
          release(error ?? undefined);
          if (error) reject(error);
          else resolve(result);
        }),
      );
    });
  });
}
