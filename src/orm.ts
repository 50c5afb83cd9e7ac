import { fileURLToPath } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { EntitySchema, MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import * as auth from './auth/entities.ts';
import { parseDatabaseUrl } from './database/database-url.ts';
import { migrations } from './database/migrations/list.ts';
import { poolOptions, typeParsers } from './database/pool.ts';
import { PrimaryStartEntity } from './database/replica.ts';
import * as edge from './edge/entities.ts';
import * as events from './events/entities.ts';
import { defaultDatabaseOptions } from './limits.ts';
import * as menu from './menu/entities.ts';
import * as menuHistory from './menu/history/entities.ts';
import * as merchant from './merchant/entities.ts';
import * as order from './order/entities.ts';
import * as store from './store/entities.ts';
import * as webhooks from './webhooks/entities.ts';

const entities = [
  merchant,
  store,
  menu,
  menuHistory,
  order,
  auth,
  events,
  webhooks,
  edge,
  { PrimaryStartEntity },
].flatMap(module => Object.values(module).filter(exported => exported instanceof EntitySchema));

/** A connection URL, or the socket of the embedded server. */
export type ConnectionSettings =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

export interface OrmOptions {
  readonly poolSize?: number;
  /** Timeout for a connection, be it a pooled or a new one. */
  readonly connectionSeconds?: number;
  /** Timeout of a request's statements. */
  readonly statementSeconds?: number;
  /** Whether connections prepare statements; off for a PgBouncer that cannot track them. */
  readonly prepare?: boolean;
  /** Called with every pool that is created, e.g. to observe its statements. */
  readonly onPool?: (pool: Pool) => void;
}

export function ormOptions(connection: ConnectionSettings, options: OrmOptions = {}): Options {
  const { poolSize, connectionSeconds, statementSeconds, prepare, onPool } = { ...defaultDatabaseOptions, ...options };
  const address = 'url' in connection ? parseDatabaseUrl(connection.url) : undefined;
  return {
    ...('url' in connection
      ? { clientUrl: address?.url ?? connection.url }
      : { host: connection.host, port: connection.port, user: connection.user, dbName: connection.database }),
    entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      // Where `mikro-orm migration:create` writes a new migration.
      path: fileURLToPath(new URL('database/migrations', import.meta.url)),
      tableName: 'migration',
      snapshot: false,
      silent: true,
    },
    // Files of schema/sql describe them, not entities: a new migration must not drop them.
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      ...poolOptions({ statementSeconds, prepare, hosts: address?.hosts ?? [] }),
      // `pg` parses all of a URL, e.g. `?host=/socket/folder` and `?sslmode=`; MikroORM only the plain parts.
      ...('url' in connection && { connectionString: address?.url ?? connection.url }),
      connectionTimeoutMillis: connectionSeconds * 1_000,
      onPoolCreated(pool: Pool) {
        pool.options.types = typeParsers(pool.options.types);
        onPool?.(pool);
      },
    },
    // Statements are never logged: their parameters may contain customers' names.
    debug: false,
  };
}

/** Connects lazily: the first query opens the first connection. */
export function createOrm(connection: ConnectionSettings, options?: OrmOptions): MikroORM {
  return new MikroORM(ormOptions(connection, options));
}
