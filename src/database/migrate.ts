import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, OperatorError } from '@carte/base/errors';
import type { EntityManager, MikroORM, Transaction } from '@mikro-orm/postgresql';
import { advisoryLocks } from './advisory-locks.ts';
import { applySqlFile, isPending, readSqlFiles, type SqlFile } from './sql-files.ts';

const minVersion = 150_000;
const pollIntervalMs = 100;
/**
 * A request that needs a table waits behind a migration that waits for it. So a migration gives up soon, also before PostgreSQL looks for
 * deadlocks (after a second) and aborts the request instead; then requests go on, until the next attempt.
 */
const lockTimeoutMs = 300;
const minRetryMs = 500;
/** An import may keep its transaction open for minutes. */
const maxBlockedMs = 600_000;

/**
 * Runs pending migrations, then the files of functions and triggers whose texts are new, each in a transaction of its own. Processes that start
 * together serialize on an advisory lock, which they poll without holding a connection: behind PgBouncer, waiting processes could otherwise take every
 * connection from the one that migrates.
 */
export async function migrate(orm: MikroORM, files = readSqlFiles()): Promise<readonly string[]> {
  await checkVersion(orm);
  // The list of migrations itself: in a transaction of its own, since the first migration may be rolled back and repeated.
  await withLock(orm, (_em, transaction) => orm.migrator.up({ transaction, migrations: [] }));
  const applied: string[] = [];
  /** Returns the name of what was applied; undefined if nothing is pending. */
  const applyNext: LockedTask<string | undefined> = async (em, transaction) => {
    const next = await findNext(orm, em, files);
    if (next === undefined) return undefined;
    if ('text' in next) await applySqlFile(em, next);
    else await orm.migrator.up({ transaction, migrations: [next.name] });
    return next.name;
  };
  for (;;) {
    const name = await retryWhileBlocked(
      () => withLock(orm, applyNext),
      async () => (await findNext(orm, orm.em.fork(), files))?.name,
    );
    if (name === undefined) return applied;
    applied.push(name);
  }
}

async function findNext(orm: MikroORM, em: EntityManager, files: readonly SqlFile[]) {
  // Not by `getPending`, which takes another connection.
  const rows = await em.execute<{ name: string }[]>('select name from migration order by id');
  const applied = rows.map(({ name }) => name);
  const migrations = orm.config.get('migrations').migrationsList ?? [];
  return migrations.find(({ name }) => !applied.includes(name)) ?? files.find(file => isPending(file, applied));
}

/** A task of the process that holds the advisory lock, with the transaction that does. */
type LockedTask<T> = (em: EntityManager, transaction: Transaction) => Promise<T>;

/** Runs a task in a transaction that holds the advisory lock, once no other process does. */
async function withLock<T>(orm: MikroORM, task: LockedTask<T>): Promise<T> {
  for (;;) {
    const done = await orm.em.fork().transactional(async locked => {
      const sql = `select pg_try_advisory_xact_lock(?) as "isHeld", set_config('lock_timeout', ?, true)`;
      const [lock] = await locked.execute<{ isHeld: boolean }[]>(sql, [advisoryLocks.migration, `${lockTimeoutMs}ms`]);
      const transaction = locked.getTransactionContext();
      return lock?.isHeld && transaction ? { result: await task(locked, transaction) } : undefined;
    });
    if (done) return done.result;
    await sleep(pollIntervalMs);
  }
}

/** Repeats a migration that could not lock its tables, or was the victim of a deadlock. */
async function retryWhileBlocked<T>(apply: () => Promise<T>, findName: () => Promise<string | undefined>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await apply();
    } catch (error) {
      if (!['55P03', '40P01'].includes(String(codeOf(error)))) throw error;
      if (performance.now() - startedAt > maxBlockedMs) {
        const message =
          `The migration ${await findName()} could not lock its tables for ${maxBlockedMs / 60_000} minutes, since another transaction uses them: ` +
          'find it in pg_stat_activity by its xact_start, and start again when it has ended.';
        throw new OperatorError(message, { cause: error });
      }
      await sleep(minRetryMs * (1 + Math.random()));
    }
  }
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
