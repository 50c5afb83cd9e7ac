import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { parseExactJson } from '../input/json.ts';
import { parseDatabaseUrl } from './database-url.ts';
import type { Query } from './query.ts';
import { createClientClass, currentRequest, type StatementOptions } from './statements.ts';

/** Idle connections to a host that is gone are closed some ten seconds after this. */
const keepAliveInitialDelayMillis = 5_000;

/** Settings that every pool shares, whether MikroORM opens it or we do. */
export function poolOptions(options: StatementOptions) {
  return { keepAlive: true, keepAliveInitialDelayMillis, Client: createClientClass(options) };
}

/** Returns a function that creates clients outside of the pool: like those of the pool or, with a URL, for that server. */
export function clientFactory(pool: pg.Pool, url: string | undefined, options: StatementOptions): () => pg.Client {
  if (url === undefined) {
    const Client = (pool.options.Client ?? pg.Client) as unknown as new (config: pg.ClientConfig) => pg.Client;
    return () => new Client(pool.options);
  }
  const address = parseDatabaseUrl(url);
  const { Client, ...keepAlive } = poolOptions({ ...options, hosts: address?.hosts ?? [] });
  const config = { ...keepAlive, connectionString: address?.url ?? url, types: typeParsers() };
  return () => new Client(config);
}

type Parse = (text: string) => unknown;

const { INT8, TIMESTAMPTZ, JSON: json } = pg.types.builtins;
const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ) as Parse;
const usualTimestamp = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?[+-]\d\d$/;

/** V8 parses the usual format in less than half the time of `pg`, which gets the others. */
export function parseTimestamp(text: string): unknown {
  return usualTimestamp.test(text) ? new Date(text) : parseAnyTimestamp(text);
}

/** Every int8 of this schema is a safe integer, and numbers in json documents keep their digits. */
const parsers: Readonly<Record<number, Parse>> = {
  [INT8]: Number,
  [TIMESTAMPTZ]: parseTimestamp,
  [json]: parseExactJson,
};

/** Type parsers of a pool; ours take precedence over `base`. */
export function typeParsers(base: pg.CustomTypesConfig = pg.types): pg.CustomTypesConfig {
  // Cached, since `pg` looks up the parser of each column of each result.
  const known = new Map<number, Parse>();
  return {
    getTypeParser(oid, format) {
      if (format === 'binary') return base.getTypeParser(oid, format);
      let parse = known.get(oid);
      if (!parse) {
        parse = parsers[oid] ?? (base.getTypeParser(oid, format) as Parse);
        known.set(oid, parse);
      }
      return parse;
    },
  };
}

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
