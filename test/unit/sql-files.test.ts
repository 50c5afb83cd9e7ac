import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { readSqlFiles, sqlFile } from '../../src/database/sql-files.ts';
import { createOrm, type OrmOptions } from '../../src/orm.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { splitOrders } from '../support/partitions.ts';

const files = readSqlFiles();

/** A migrated database, to which the files are applied once more, as if their texts had changed since. */
async function migrateOnce(): Promise<(options?: OrmOptions) => MikroORM> {
  const connect = await createEmptyDatabase();
  const open = (options?: OrmOptions) => {
    const orm = connect({ poolSize: 2, ...options });
    onTestFinished(() => orm.close());
    return orm;
  };
  const orm = open();
  await migrate(orm);
  await orm.em.execute("delete from migration where name like '%.sql %'");
  return open;
}

/** Definitions by name, without those of extensions. */
async function readDefinitions(em: EntityManager): Promise<Record<string, string>> {
  const rows = await em.execute<{ name: string; definition: string }[]>(`
    select proname as name, pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
    union all
    select tgrelid::regclass || '.' || tgname, pg_get_triggerdef(pg_trigger.oid) from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    where relnamespace = current_schema()::regnamespace and not tgisinternal`);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

test('an upgrade replaces functions beside transactions that lock every table, and a further start does nothing', async () => {
  const open = await migrateOnce();
  const orm = open();
  const tables = [
    ...new Set(files.flatMap(({ text }) => [...text.matchAll(/trigger .* on (\w+)/g)].map(([, on]) => on))),
  ];
  await orm.em.fork().transactional(async em => {
    await em.execute(`lock table ${tables.join(', ')} in share row exclusive mode`);
    expect(await migrate(open())).toEqual(files.map(({ name }) => name));
  });
  await orm.em.fork().transactional(async em => {
    await em.execute('lock table pg_proc, pg_trigger in exclusive mode');
    expect(await migrate(open())).toEqual([]);
  });
});

test('a text is applied when it changes, also back, but not by a process of an earlier version', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 2 });
  onTestFinished(() => orm.close());
  await migrate(orm);
  const text = files.find(({ name }) => name.startsWith('events.sql '))?.text ?? '';
  const raised = text.replace('max_updated constant int := 50', 'max_updated constant int := 60');
  const apply = async (changed: string, version: string) => {
    const applied = await migrate(orm, [sqlFile('events.sql', changed, version)]);
    const { log_order_events } = await readDefinitions(orm.em.fork());
    return { applied: applied.length, isRaised: log_order_events?.includes('max_updated constant int := 60') };
  };
  expect(await apply(raised, '9.9.0')).toEqual({ applied: 1, isRaised: true });
  expect(await apply(text, '9.9.0')).toEqual({ applied: 1, isRaised: false });
  expect(await apply(text, '9.10.0')).toEqual({ applied: 0, isRaised: false });
  expect(await apply(raised, '9.10.0')).toEqual({ applied: 1, isRaised: true });
  expect(await apply(text, '9.9.0')).toEqual({ applied: 0, isRaised: true });
});

test.each([
  { name: 'of one table', split: false },
  { name: 'of partitions', split: true },
])('triggers that are missing or differ are created, also if orders are $name', async ({ split }) => {
  const open = await migrateOnce();
  const orm = open();
  const em = orm.em.fork();
  const [server, database] = [inject('direct'), String(orm.config.get('dbName'))];
  if (split) await splitOrders({ ...server, database });
  const before = await readDefinitions(em);
  await em.execute(`
    drop trigger orders_inserted_events on orders;
    drop trigger orders_dated on orders;
    create or replace trigger store_moved after update on store for each row execute function end_access_of_former_merchant()`);
  await migrate(orm);
  const after = await readDefinitions(em);
  const triggers = (all: Record<string, string>) =>
    Object.entries(all)
      .filter(([name]) => name.includes('.'))
      .toSorted();
  expect(triggers(after)).toEqual(triggers(before));
});

test('a role that does not own the functions is told so, and serves what another one has migrated', async () => {
  const open = await migrateOnce();
  const owner = open();
  const role = `served_by_${String(owner.config.get('dbName'))}`;
  await owner.em.execute(`create role ${role} login; grant all on all tables in schema public to ${role};
    grant create on schema public to ${role}`);
  const orm = createOrm({ ...inject('direct'), database: String(owner.config.get('dbName')), user: role });
  onTestFinished(async () => {
    await orm.close();
    await owner.em.execute(`drop owned by ${role}; drop role ${role}`);
  });
  await expect(migrate(orm)).rejects.toThrow(
    /^The functions of schema\/sql\/event-log.sql [\w. ]+ cannot be replaced: must be owner of function \w+. Run `carte migrate` as/,
  );
  await migrate(owner);
  expect(await migrate(orm)).toEqual([]);
});
