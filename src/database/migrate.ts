import type { MikroORM } from '@mikro-orm/postgresql';
import { OperatorError } from '../errors.ts';

const oldestVersion = 150_000;
/** Any number will do, as long as nothing else in the database takes it. */
const lockNumber = 7_274_921;

/** Brings the database to the current schema. Processes that start together queue here. */
export async function migrate(orm: MikroORM): Promise<readonly string[]> {
  const em = orm.em.fork();
  await checkVersion(orm);
  return em.transactional(async locked => {
    await locked.execute('select pg_advisory_xact_lock(?)', [lockNumber]);
    // The migrator works on a second connection while this one holds the lock.
    const done = await orm.migrator.up();
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
