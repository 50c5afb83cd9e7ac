import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '@carte/embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/database/migrate.ts';
import { createOrm } from '../../src/orm.ts';
import { startPgBouncer } from '../../support/pgbouncer.ts';
import { splitTables, testRanges } from './partitions.ts';

interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** What the service is told of. */
    cluster: Connection;
    /** The server itself, for what an administrator does; the same, unless the tests run through a PgBouncer. */
    direct: Connection;
  }
}

/**
 * One real server for all tests, and a migrated template from which each test file copies a database of its own. With
 * `CARTE_TEST_THROUGH=pgbouncer` everything but the administration goes through a PgBouncer; with
 * `CARTE_TEST_PARTITIONS=on` the tables are split.
 */
export default async function startCluster(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'carte-test-'));
  const server = await startEmbedded({
    dataFolder: folder,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query('create database template_carte');
  await admin.end();
  const orm = createOrm({ ...server.connection, database: 'template_carte' });
  await migrate(orm);
  await orm.close();
  const template = { ...server.connection, database: 'template_carte' };
  if (process.env.CARTE_TEST_PARTITIONS === 'on') await splitTables(template, testRanges);
  const bouncer = process.env.CARTE_TEST_THROUGH === 'pgbouncer' ? await startPgBouncer(server.connection) : undefined;
  project.provide('cluster', bouncer?.connection ?? server.connection);
  project.provide('direct', server.connection);
  return async () => {
    await bouncer?.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
