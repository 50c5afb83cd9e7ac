import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { createOrm, type OrmOptions } from '../../src/database/orm.ts';

/** A migrated, empty database of one's own; it is closed and dropped after the file's last test. */
export async function createDatabase(options?: OrmOptions): Promise<MikroORM> {
  const cluster = inject('cluster');
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(`create database ${database} template template_carte`);
  const orm = createOrm({ ...cluster, database }, options);
  afterAll(async () => {
    await orm.close();
    await asAdmin(`drop database ${database} with (force)`);
  });
  return orm;
}

async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client(inject('cluster'));
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}
