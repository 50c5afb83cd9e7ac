import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { OperatorError } from '../errors.ts';

const minVersion = 150_000;
/** Key of the advisory lock: arbitrary, but unique in the database. */
const lockKey = 7_274_921;
const pollIntervalMs = 100;

/**
 * Runs pending migrations. Processes that start together serialize on an advisory lock, which they poll without holding a
 * connection: behind PgBouncer, waiting processes could otherwise take every connection from the one that migrates.
 */
export async function migrate(orm: MikroORM): Promise<readonly string[]> {
  await checkVersion(orm);
  for (;;) {
    const applied = await tryMigrate(orm);
    if (applied) return applied;
    await sleep(pollIntervalMs);
  }
}

/** Undefined while another process migrates. The lock and all migrations share one transaction on one connection. */
async function tryMigrate(orm: MikroORM): Promise<readonly string[] | undefined> {
  return orm.em.fork().transactional(async locked => {
    const sql = 'select pg_try_advisory_xact_lock(?) as "isHeld"';
    const [lock] = await locked.execute<{ isHeld: boolean }[]>(sql, [lockKey]);
    if (!lock?.isHeld) return undefined;
    const transaction = locked.getTransactionContext();
    const applied = await orm.migrator.up(transaction ? { transaction } : {});
    return applied.map(migration => migration.name);
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
  if (row && row.number < minVersion) {
    throw new OperatorError(`The database is PostgreSQL ${row.version}; Carte needs version 15 or newer.`);
  }
}
