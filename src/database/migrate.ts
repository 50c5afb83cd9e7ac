import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { OperatorError } from '../errors.ts';

const oldestVersion = 150_000;
/** Any number will do, as long as nothing else in the database takes it. */
const lockNumber = 7_274_921;

const pause = 100;

/**
 * Brings the database to the current schema. Processes that start together take turns, and hold no connection while they
 * wait: behind a PgBouncer, those who wait could otherwise keep every connection from the one who works.
 */
export async function migrate(orm: MikroORM): Promise<readonly string[]> {
  await checkVersion(orm);
  for (;;) {
    const done = await migrateAlone(orm);
    if (done) return done;
    await sleep(pause);
  }
}

/** Undefined while another process migrates. All of it is one transaction on one connection, the lock included. */
async function migrateAlone(orm: MikroORM): Promise<readonly string[] | undefined> {
  return orm.em.fork().transactional(async locked => {
    const sql = 'select pg_try_advisory_xact_lock(?) as "isHeld"';
    const [lock] = await locked.execute<{ isHeld: boolean }[]>(sql, [lockNumber]);
    if (!lock?.isHeld) return undefined;
    const transaction = locked.getTransactionContext();
    const done = await orm.migrator.up(transaction ? { transaction } : {});
    return done.map(migration => migration.name);
  });
}

export async function isMigrated(orm: MikroORM): Promise<boolean> {
  return (await orm.migrator.getPending()).length === 0;
}

async function checkVersion(orm: MikroORM): Promise<void> {
  const [row] = await orm.em
    .fork()
    .execute<{ number: number; version: string }[]>(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
    );
  if (row && row.number < oldestVersion) {
    throw new OperatorError(`The database is PostgreSQL ${row.version}; Carte needs version 15 or newer.`);
  }
}
