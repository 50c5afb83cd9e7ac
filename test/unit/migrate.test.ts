import { expect, onTestFinished, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/key-cache.ts';
import { isMigrated, migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations/list.ts';
import { queryIn } from '../../src/database/query.ts';
import { readSqlFiles } from '../../src/database/sql-files.ts';
import { currentPosition } from '../../src/events/log.ts';
import { defaultHistoryLimits } from '../../src/limits.ts';
import { findConfigurationsAt } from '../../src/menu/history/configurations-at.ts';
import { checkHistoryArguments, createMenuHistoryRepository, summarize } from '../../src/menu/history/repository.ts';
import { readPermissions, readPermissionsOf } from '../../src/scope.ts';
import { createEmptyDatabase, directConnection } from '../support/database.ts';
import { readEvents } from '../support/events.ts';
import { splitMenus, splitOrders } from '../support/partitions.ts';

const insertItem = `insert into menu_item (store_id, external_id, position, name, price, tax, in_stock, sell_separately, modifier_external_ids)
  values ('old', 'soup', 0, '{"translations": {"en": "Soup"}}', 400, 0, true, true, '{}')`;

test('of many processes that start together, each migration is run by one, and all wait for the last', async () => {
  const connect = await createEmptyDatabase();
  const processes = Array.from({ length: 8 }, () => connect({ poolSize: 2 }));
  onTestFinished(async () => void (await Promise.all(processes.map(orm => orm.close()))));
  const applied = await Promise.all(processes.map(orm => migrate(orm)));
  expect(applied.flat().toSorted()).toEqual([...migrations, ...readSqlFiles()].map(({ name }) => name));
  expect(await Promise.all(processes.map(isMigrated))).toEqual(Array(8).fill(true));
});

test('a menu of an earlier version, also if it is posted during the migration, is the first revision of its history', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 2 });
  onTestFinished(() => orm.close());
  await orm.migrator.up({ to: '0009-last-use' });
  const em = orm.em.fork();
  await em.execute(`insert into store (id, name) values ('old', '{}'), ('empty', '{}'); ${insertItem}`);
  await em.execute("update store set menu_revision = 1 where id = 'old'");
  // A process of that version posts a menu while the database is migrated.
  const migrated = await em.fork().transactional(async tx => {
    await tx.execute('update menu_item set price = 450');
    const migrating = migrate(orm);
    const waiting =
      'select from pg_locks l join pg_database d on d.oid = database where datname = current_database() and not granted';
    while ((await tx.execute(waiting)).length === 0);
    await tx.execute("update store set menu_revision = menu_revision + 1 where id = 'old'");
    return { migrating };
  });
  await migrated.migrating;
  const [old] = await em.execute("select menu_revision::float8 as revision from store where id = 'old'");
  await em.execute('update menu_item set price = 500');
  const query = queryIn(em);
  const history = createMenuHistoryRepository({ em, query }, defaultHistoryLimits);
  const [page, none] = await history.findPages(['old', 'empty'], checkHistoryArguments('old', {}));
  expect(none?.nodes).toEqual([]);
  expect(page?.nodes.map(entry => [entry.source, summarize(entry)])).toEqual([
    ['SQL', '1 item changed'],
    ['UNKNOWN', 'the history begins here'],
  ]);
  expect(page?.nodes.at(-1)?.revision).toBe(old?.revision);
  const requests = (page?.nodes ?? []).map(({ revision }) => ({ storeId: 'old', revision }));
  const found = await findConfigurationsAt(query, em, requests, defaultHistoryLimits);
  expect(found).toMatchObject([
    { items: new Map([['soup', expect.objectContaining({ price: 500 })]]) },
    { items: new Map([['soup', expect.objectContaining({ price: 450, name: { translations: { en: 'Soup' } } })]]) },
  ]);
});

test('a database whose menu tables version 0.1.0 has partitioned is migrated, and its menus have a history', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 2 });
  onTestFinished(() => orm.close());
  await orm.migrator.up({ to: '0006-store-currency' });
  const em = orm.em.fork();
  await em.execute(`insert into store (id, name) values ('old', '{}'); ${insertItem}`);
  await em.execute("update store set menu_revision = 1 where id = 'old'");
  await splitMenus(directConnection(orm));
  await migrate(orm);
  const parts = "select count(*)::int as count from pg_inherits where inhparent = 'menu_item'::regclass";
  expect(await em.execute(parts)).toEqual([{ count: 16 }]);
  await em.execute('update menu_item set price = 500');
  const query = queryIn(em);
  const history = createMenuHistoryRepository({ em, query }, defaultHistoryLimits);
  const [page] = await history.findPages(['old'], checkHistoryArguments('old', {}));
  expect(page?.nodes.map(summarize)).toEqual(['1 item changed', 'the history begins here']);
  const requests = (page?.nodes ?? []).map(({ revision }) => ({ storeId: 'old', revision }));
  expect(await findConfigurationsAt(query, em, requests, defaultHistoryLimits)).toMatchObject([
    { items: new Map([['soup', expect.objectContaining({ price: 500 })]]) },
    { items: new Map([['soup', expect.objectContaining({ price: 400 })]]) },
  ]);
});

test('after the migration of an earlier version, a statement that updates 51 orders is one event', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 2 });
  onTestFinished(() => orm.close());
  await orm.migrator.up({ to: '0012-webhooks' });
  const em = orm.em.fork();
  await em.execute(`insert into store (id, name) values ('old', '{}');
    insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
    select n, 'old', now(), 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false from generate_series(1, 51) n`);
  const kindsOfUpdate = async (table: string) => {
    await em.execute(`delete from ${table}; update orders set is_read = not is_read`);
    return em.execute(`select kind, count(*)::int from ${table} group by kind`);
  };
  expect(await kindsOfUpdate('event')).toEqual([{ kind: 'ORDER_CHANGED', count: 51 }]);
  await migrate(orm);
  expect(await kindsOfUpdate('event_inbox')).toEqual([{ kind: 'ORDERS_CHANGED', count: 1 }]);
});

test('keys of an earlier version can do what they could, and read everything in their scope', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 2 });
  onTestFinished(() => orm.close());
  await orm.migrator.up({ to: '0012-webhooks' });
  const em = orm.em.fork();
  const kinds = { reader: [], till: ['ORDERS', 'STOCK'], operator: ['ORDERS', 'STOCK', 'MENU', 'ADMIN'] };
  for (const [name, granted] of Object.entries(kinds))
    await em.execute(`insert into api_key (id, name, hash, all_access, permissions) values (?, ?, sha256(?), ?, ?)`, [
      name,
      name,
      Buffer.from(`carte_${name}`),
      name === 'operator',
      `{${granted}}`,
    ]);
  await em.execute(`insert into store (id, name) values ('old', '{}');
    insert into api_key_grant (key_id, store_id) values ('reader', 'old'), ('till', 'old')`);
  await migrate(orm);
  const authenticate = createAuthenticator(queryIn(em), { seconds: 0 });
  for (const [name, granted] of Object.entries(kinds)) {
    const { keyId, scope } = await authenticate(`carte_${name}`);
    expect([keyId, scope.permissions, scope.publishable]).toEqual([name, granted, false]);
    expect([scope.all, scope.storeIds]).toEqual(name === 'operator' ? [true, []] : [false, ['old']]);
    expect(readPermissionsOf(scope)).toEqual(readPermissions);
  }
});

test('events of transactions that are open while the inbox is added get into the log, in order', async () => {
  const connect = await createEmptyDatabase();
  const inbox = migrations.findIndex(({ name }) => name === '0021-event-inbox');
  const migrateFirst = async (count: number) => {
    const orm = connect({ poolSize: 2 });
    onTestFinished(() => orm.close());
    const migrationsList = migrations.slice(0, count);
    orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList });
    await migrate(orm, []);
    return orm.em;
  };
  const em = (await migrateFirst(inbox)).fork();
  const query = queryIn(em);
  await em.execute(`insert into store (id, name) values ('early', '{}'), ('late', '{}')`);
  const after = await currentPosition(query);
  const changed = async () => (await readEvents(query, { after, limit: 10 })).map(({ storeId }) => storeId);
  await em.fork().transactional(async open => {
    await open.execute(`update store set city = 'Faro' where id = 'early'`);
    // The next one waits for all that use the table of stores.
    await migrateFirst(migrations.findIndex(({ name }) => name === '0025-store-search'));
    await em.execute(`update store set city = 'Faro' where id = 'late'`);
    expect(await changed()).toEqual(['late']);
    await open.execute(`update store set city = 'Lagos' where id = 'early'`);
  });
  expect(await changed()).toEqual(['late', 'early', 'early']);
});

test('orders that are partitioned get the index by service type on every partition, also after an attempt that failed', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 3 });
  onTestFinished(() => orm.close());
  const last = migrations.findIndex(({ name }) => name === '0018-order-service');
  await orm.migrator.up({ to: String(migrations[last - 1]?.name) });
  await splitOrders(directConnection(orm));
  await orm.migrator.up({ to: '0018-order-service' });
  const em = orm.em.fork();
  // What is left of an index that could not be built.
  await em.execute(`create index orders_before_by_service on orders_before (store_id);
    update pg_index set indisvalid = false where indexrelid = 'orders_before_by_service'::regclass`);
  await migrate(orm);
  const indexes = `select inhrelid::regclass::text as name, pg_get_indexdef(inhrelid) like '%where (service_type is not null)' as is_whole
    from pg_inherits join pg_index on indexrelid = inhrelid where inhparent = 'orders_by_service'::regclass and indisvalid order by 1`;
  const names = ['orders_2026_01', 'orders_2026_04', 'orders_2026_07', 'orders_2026_10', 'orders_before'];
  expect(await em.execute(indexes.replace('like', 'ilike'))).toEqual(
    names.map(name => ({ name: `${name}_by_service`, is_whole: true })),
  );
  expect(await em.execute("select from pg_inherits where inhparent = 'orders_by_completion'::regclass")).toHaveLength(
    5,
  );
});

test.each([
  { name: 'of one table', split: false },
  { name: 'of partitions', split: true },
])(
  'orders of an earlier version, $name, are not rewritten, and have the revision 0 until they change',
  async ({ split }) => {
    const connect = await createEmptyDatabase();
    const orm = connect({ poolSize: 2 });
    onTestFinished(() => orm.close());
    await orm.migrator.up({ to: '0006-store-currency' });
    const em = orm.em.fork();
    const insert = (id: string) =>
      em.execute(
        `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
      values (?, 'old', now(), 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false)`,
        [id],
      );
    await em.execute("insert into store (id, name) values ('old', '{}')");
    await insert('a');
    await insert('b');
    if (split) await splitOrders(directConnection(orm));
    const rows = () =>
      em.execute('select tableoid::regclass::text as part, ctid::text, xmin::text from orders order by id');
    const before = await rows();
    await migrate(orm);
    expect(await rows()).toEqual(before);
    const start = Date.now() * 1000;
    // As processes of that version do.
    await insert('c');
    await em.execute("update orders set is_read = true where id = 'b'");
    const revisions = await em.execute('select revision::float8 as revision from orders order by id');
    expect(revisions.map(({ revision }) => revision > start || revision)).toEqual([0, true, true]);
  },
);

test('stores of an earlier version are found by their names, whatever JSON these are', async () => {
  const connect = await createEmptyDatabase();
  const orm = connect({ poolSize: 2 });
  onTestFinished(() => orm.close());
  await orm.migrator.up({ to: '0016-reading-permissions' });
  const em = orm.em.fork();
  const names = ['{}', '{"a": ["ÚNICO", {"b": "Say \\"hi\\""}], "c": 1}', '{"a": "\\u0000"}', '{"a": "\\ud800"}'];
  for (const name of names) await em.execute('insert into store (id, name) values (gen_random_uuid(), ?)', [name]);
  await migrate(orm);
  const rows = await em.execute<{ name_folded: string }[]>(
    'select name_folded from store order by created_at, name::text',
  );
  expect(rows.map(row => row.name_folded).toSorted()).toEqual(['', '', '["único", "say "hi""]', '[]']);
});
