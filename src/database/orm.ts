import { fileURLToPath } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities } from './entities.ts';
import { migrations } from './migrations/list.ts';
import { watchStatements } from './statements.ts';
import { typesBefore } from './types.ts';

/** Where the database is: an address, or the socket of the embedded server. */
export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

export interface OrmOptions {
  readonly poolSize?: number;
  /** How long a request may wait for a connection. */
  readonly connectionSeconds?: number;
  /** How long a statement of a request may take. */
  readonly statementSeconds?: number;
  /** Whether connections prepare statements; off for a PgBouncer that cannot track them. */
  readonly prepare?: boolean;
  /** Told of every pool that is made, e.g. to watch its statements. */
  readonly onPool?: (pool: Pool) => void;
}

export function ormOptions(connection: Connection, options: OrmOptions = {}): Options {
  const { poolSize = 10, connectionSeconds = 5, statementSeconds = 30, prepare = true, onPool } = options;
  return {
    ...('url' in connection
      ? { clientUrl: connection.url }
      : { host: connection.host, port: connection.port, user: connection.user, dbName: connection.database }),
    entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      // Where `mikro-orm migration:create` puts a new one.
      path: fileURLToPath(new URL('migrations', import.meta.url)),
      tableName: 'migration',
      snapshot: false,
      silent: true,
    },
    schemaGenerator: { ignoreTriggers: true },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      application_name: 'carte',
      // `pg` reads all of an address, e.g. `?host=/socket/folder` and `?sslmode=`; MikroORM only the plain parts.
      ...('url' in connection && { connectionString: connection.url }),
      connectionTimeoutMillis: connectionSeconds * 1_000,
      keepAlive: true,
      onPoolCreated(pool: Pool) {
        pool.options.types = typesBefore(pool.options.types);
        watchStatements(pool, { seconds: statementSeconds, prepare });
        onPool?.(pool);
      },
    },
    // Statements and their parameters never reach the log: parameters may hold customers' names.
    debug: false,
  };
}

/** Connects lazily: the first query opens the first connection. */
export function createOrm(connection: Connection, options?: OrmOptions): MikroORM {
  return new MikroORM(ormOptions(connection, options));
}
