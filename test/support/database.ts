import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { createOrm, type OrmOptions } from '../../src/orm.ts';

/** Whether connections may keep statements: not through a PgBouncer. The service is told by the same variable. */
export const prepare = process.env.DATABASE_PREPARE !== 'off';

/** A migrated, empty database; it stays until all tests have ended. */
export const cloneDatabase = async (options?: OrmOptions): Promise<MikroORM> =>
  connectTo(await copyDatabase('template_carte'))(options);

/** One that is closed and dropped after the file's last test. */
export async function createDatabase(options?: OrmOptions): Promise<MikroORM> {
  const connect = await makeDatabase('template_carte');
  const orm = connect(options);
  // Files are left in the reverse order of what they ask for: the connections end before the database does.
  afterAll(() => orm.close());
  return orm;
}

/** A database without a schema; what connects to it is closed by the test. */
export function createEmptyDatabase(): Promise<(options?: OrmOptions) => MikroORM> {
  return makeDatabase('template1');
}

/** A database as 0.2.0 has left it. */
export async function createDatabaseOf020(): Promise<(options?: OrmOptions) => MikroORM> {
  const connect = await createEmptyDatabase();
  const orm = connect();
  const client = new pg.Client(directConnection(orm));
  await orm.close();
  await client.connect();
  await client.query(readFileSync(new URL('database-0.2.0.sql', import.meta.url), 'utf8'));
  await client.end();
  return connect;
}

async function makeDatabase(template: string): Promise<(options?: OrmOptions) => MikroORM> {
  const database = await copyDatabase(template);
  afterAll(() => asAdmin(`drop database ${database} with (force)`));
  return connectTo(database);
}

async function copyDatabase(template: string): Promise<string> {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  // The files of the template are copied; the default writes each of its pages to the log, for twice the processor time.
  await asAdmin(`create database ${database} template ${template} strategy file_copy`);
  return database;
}

/** Connections that a test hardly needs still cost the server a process each. */
const connectTo =
  (database: string) =>
  (options?: OrmOptions): MikroORM =>
    createOrm({ ...inject('cluster'), database }, { prepare, poolSize: 4, ...options });

/** A test's database on the server itself. */
export function directConnection(orm: MikroORM): pg.ClientConfig {
  return { ...inject('direct'), database: String(orm.config.get('dbName')) };
}

async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client(inject('direct'));
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}
