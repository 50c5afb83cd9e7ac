import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
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
import type { OrmOptions } from '../../src/orm.ts';
import { readPermissions, readPermissionsOf } from '../../src/scope.ts';
import { readCatalogs } from '../support/catalogs.ts';
import { createDatabase, createDatabaseOf020, createEmptyDatabase, directConnection } from '../support/database.ts';
import { readEvents } from '../support/events.ts';
import { splitMenus, splitOrders } from '../support/partitions.ts';

const everything = [...migrations, ...readSqlFiles()].map(({ name }) => name);

/** Until the end of the test. */
function open(connect: (options?: OrmOptions) => MikroORM, options: OrmOptions = { poolSize: 2 }): MikroORM {
  const orm = connect(options);
  onTestFinished(() => orm.close());
  return orm;
}

const insertOrder = (id: string) => `
  insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
  values ('${id}', 'old', now(), 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false)`;

/** Statements as those of processes of 0.2.0, with rows in each table. */
const rowsOf020 = String.raw`
  insert into merchant (id, brand_name) values ('m', 'Baixa'), ('other', 'Alfama');
  insert into store (id, merchant_id, name, ordering) values
    ('old', 'm', '{"translations": {"pt": "ÚNICO", "en": "Say \"hi\""}}', '{"state": "PAUSED"}'), ('gone', null, '{}', null),
    ('null', null, '{"a": "\u0000"}', null), ('half', null, '{"a": "\ud800"}', null);
  insert into due_time (store_id, subject, external_id, due_at) values ('old', 'ordering', '', now());
  insert into menu (store_id, external_id, position, availability, category_external_ids) values ('old', 'm', 0, '{}', '{c}');
  insert into category (store_id, external_id, position, name, item_external_ids) values ('old', 'c', 0, '{}', '{soup}');
  insert into menu_item (store_id, external_id, position, name, price, tax, in_stock, sell_separately, modifier_external_ids)
    values ('old', 'soup', 0, '{"translations": {"en": "Soup"}}', 400, 0, true, true, '{g}');
  insert into modifier_group (store_id, external_id, position, type, name, group_max, group_min, charge_after, modifier_item_external_ids)
    values ('old', 'g', 0, 'MULTIPLE', '{}', 1, 0, 0, '{i}');
  insert into modifier_item (store_id, external_id, position, name, price_change, tax_change, in_stock, min_quantity, max_quantity, default_quantity)
    values ('old', 'i', 0, '{}', 50, 0, true, 0, 1, 0);
  delete from menu_history where kind = 'menu';
  delete from store where id = 'gone';
  ${insertOrder('a')};
  ${insertOrder('b')};
  insert into order_idempotency_key values ('old', 'k', 'hash', 'a', now());
  insert into webhook (id, url, store_id, kinds, secret, start_position) values ('w', 'https://127.0.0.1/', 'old', '{ORDER_PLACED}', 's', 1);
  insert into webhook_queue (webhook_id, store_id, position, newest) values ('w', 'old', 1, 1);
  insert into webhook_delivery values ('w', 1, 'ORDER_PLACED', 'old', 'a', now(), 'DELIVERED', 1, now(), 200, null, 5);
  insert into primary_start values ('start');
  insert into api_key (id, name, hash, all_access, permissions) select name, name, sha256(('carte_' || name)::bytea), name = 'operator', permissions::text[]
    from (values ('reader', '{}'), ('till', '{ORDERS,STOCK}'), ('operator', '{ORDERS,STOCK,MENU,ADMIN}')) as keys (name, permissions);
  insert into api_key_grant (key_id, store_id) values ('reader', 'old'), ('till', 'old');
  -- The last event is still in the inbox.
  do $$ begin perform sequence_events('1:1:', 100); end $$;
  update store set city = 'Faro' where id = 'old'`;

/** All rows by table; of those that were read before, only the columns that they had then. */
async function readRows(em: EntityManager, before?: Record<string, readonly object[]>) {
  const tables = await em.execute<{ name: string }[]>(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'migration'",
  );
  const rows: Record<string, readonly object[]> = {};
  for (const name of before ? Object.keys(before) : tables.map(table => table.name)) {
    const found = await em.execute<{ row: string }[]>(`select row_to_json(${name})::text as row from ${name}`);
    const columns = before && Object.keys(before[name]?.[0] ?? {});
    const parsed = found.map(({ row }) =>
      Object.entries(JSON.parse(row)).filter(([column]) => columns?.includes(column) ?? true),
    );
    rows[name] = parsed
      .map(entries => Object.fromEntries(entries))
      .sort((one, other) => compare(JSON.stringify(one), JSON.stringify(other)));
  }
  return rows;
}

const compare = (one: string, other: string) => (one < other ? -1 : 1);

test('of many processes that start together, each migration is run by one, and all wait for the last', async () => {
  const connect = await createEmptyDatabase();
  const processes = Array.from({ length: 8 }, () => open(connect));
  const applied = await Promise.all(processes.map(orm => migrate(orm)));
  expect(applied.flat().toSorted()).toEqual(everything.toSorted());
  expect(await Promise.all(processes.map(isMigrated))).toEqual(Array(8).fill(true));
});

test('a database of 0.2.0 becomes the same as a new one, object by object, and keeps every row', async () => {
  const orm = open(await createDatabaseOf020());
  const em = orm.em.fork();
  await em.execute(rowsOf020);
  const rows = await readRows(em);
  expect(Object.entries(rows).filter(([, ofTable]) => ofTable.length === 0)).toEqual([]);
  expect(await isMigrated(orm)).toBe(false);
  expect(await migrate(orm)).toEqual(everything);
  const created = open(await createEmptyDatabase());
  await migrate(created);
  const catalogs = await readCatalogs(em);
  expect(catalogs).toEqual(await readCatalogs(created.em.fork()));
  const kinds = Map.groupBy(Object.keys(catalogs), name => name.split(' ')[0]);
  expect([...kinds].filter(([, { length }]) => length > 5).map(([kind]) => kind)).toEqual(
    expect.arrayContaining(['column', 'constraint', 'function', 'index', 'object', 'relation', 'sequence', 'trigger']),
  );
  expect(await readRows(em, rows)).toEqual(rows);
  expect(await isMigrated(orm)).toBe(true);
  expect(await migrate(orm)).toEqual([]);
});

test('what 0.2.0 has stored is served: keys, names of stores, menus and their history, events and cursors', async () => {
  const orm = open(await createDatabaseOf020());
  const em = orm.em.fork();
  const query = queryIn(em);
  await em.execute(rowsOf020);
  const after = await currentPosition(query);
  await migrate(orm);

  const authenticate = createAuthenticator(query, { seconds: 0 });
  const kinds = { reader: [], till: ['ORDERS', 'STOCK'], operator: ['ORDERS', 'STOCK', 'MENU', 'ADMIN'] };
  for (const [name, granted] of Object.entries(kinds)) {
    const { keyId, scope } = await authenticate(`carte_${name}`);
    expect([keyId, scope.permissions, scope.publishable]).toEqual([name, granted, false]);
    expect([scope.all, scope.storeIds]).toEqual(name === 'operator' ? [true, []] : [false, ['old']]);
    expect(readPermissionsOf(scope)).toEqual(readPermissions);
  }

  const names = await em.execute('select id, name_folded, guest_orders, preparation_minutes from store order by id');
  expect(names).toEqual(
    ['half', 'null', 'old'].map(id => ({
      id,
      name_folded: id === 'old' ? '["say "hi"", "único"]' : '',
      guest_orders: true,
      preparation_minutes: 0,
    })),
  );

  await em.execute('update menu_item set price = 500');
  const history = createMenuHistoryRepository({ em, query }, defaultHistoryLimits);
  const [page] = await history.findPages(['old'], checkHistoryArguments('old', {}));
  const entries = page?.nodes ?? [];
  expect(entries.map(summarize).slice(0, 2)).toEqual([
    '1 item changed',
    '1 category added, 1 item added, 1 modifier group added, 1 modifier item added',
  ]);
  const requests = entries.slice(0, 2).map(({ revision }) => ({ storeId: 'old', revision }));
  const found = await findConfigurationsAt(query, em, requests, defaultHistoryLimits);
  expect(found).toMatchObject(
    [500, 400].map(price => ({ items: new Map([['soup', expect.objectContaining({ price })]]) })),
  );

  // The one that was in the inbox, and that of the price.
  const events = await readEvents(query, { after, limit: 10 });
  expect(events.map(({ kind, storeId }) => [kind, storeId])).toEqual([
    ['STORE_CHANGED', 'old'],
    ['MENU_CHANGED', 'old'],
  ]);
  const [log] = await em.execute<{ minutes: number; bits: number }[]>(`
    select (encrypted_from / 1e6 - extract(epoch from now())) / 60 as minutes, 8 * length(cursor_key) as bits from event_log`);
  expect(log?.bits).toBe(256);
  expect(Number(log?.minutes)).toBeGreaterThan(50);
  expect(Number(log?.minutes)).toBeLessThanOrEqual(60);
});

test('processes of 0.2.0 write orders and read events before, between and after the steps of the migration', async () => {
  const orm = open(await createDatabaseOf020());
  const em = orm.em.fork();
  const query = queryIn(em);
  await em.execute("insert into store (id, name) values ('old', '{}')");
  const after = await currentPosition(query);
  const sequence = "select moved from sequence_events('1:1:'::pg_snapshot, 5000)";
  const issueKey = (id: string) => `
    insert into api_key (id, name, hash, all_access, permissions) values ('${id}', '', '${id}', true, '{MENU}') returning can_write`;
  const write = async (id: string) => {
    await em.execute(insertOrder(id));
    const [, moved, issued] = [await em.execute('select'), await em.execute(sequence), await em.execute(issueKey(id))];
    return [moved, issued];
  };
  const done = (moved: number) => [[{ moved }], [{ can_write: true }]];
  expect(await write('before')).toEqual(done(2));
  expect(await migrate(orm, [])).toEqual(migrations.map(({ name }) => name));
  expect(await write('between')).toEqual(done(1));
  expect(await migrate(orm)).toEqual(readSqlFiles().map(({ name }) => name));
  expect(await write('later')).toEqual(done(1));
  const orders = (await readEvents(query, { after, limit: 10 })).map(({ orderId }) => orderId);
  expect(orders).toEqual([null, 'before', 'between', 'later']);
});

test.each([
  { name: 'of one table', split: false },
  { name: 'of partitions', split: true },
])('orders of 0.2.0, $name, are not rewritten, and have the revision 0 until they change', async ({ split }) => {
  const orm = open(await createDatabaseOf020());
  const em = orm.em.fork();
  await em.execute("insert into store (id, name) values ('old', '{}')");
  await em.execute(`${insertOrder('a')}; ${insertOrder('b')}`);
  if (split) await splitOrders(directConnection(orm));
  const rows = () =>
    em.execute('select tableoid::regclass::text as part, ctid::text, xmin::text from orders order by id');
  const before = await rows();
  await migrate(orm);
  expect(await rows()).toEqual(before);
  const start = Date.now() * 1000;
  // As processes of that version do.
  await em.execute(insertOrder('c'));
  await em.execute("update orders set is_read = true where id = 'b'");
  const revisions = await em.execute('select revision::float8 as revision from orders order by id');
  expect(revisions.map(({ revision }) => revision > start || revision)).toEqual([0, true, true]);
});

test('partitioned orders of 0.2.0 get the new indexes on every partition, also after an attempt that failed', async () => {
  const orm = open(await createDatabaseOf020(), { poolSize: 3 });
  await splitOrders(directConnection(orm));
  const em = orm.em.fork();
  // What is left of an index that could not be built.
  await em.execute(`create index orders_before_by_completion on orders_before (store_id);
    update pg_index set indisvalid = false where indexrelid = 'orders_before_by_completion'::regclass`);
  await migrate(orm);
  const created = await createDatabase();
  for (const index of ['orders_by_completion', 'orders_by_placer', 'orders_by_age', 'orders_by_service']) {
    const read = `select pg_get_indexdef('${index}'::regclass) as is`;
    const [whole] = await em.execute(read);
    const [expected] = await created.em.fork().execute(read);
    expect(whole?.is.split(' USING ')[1]).toBe(expected?.is.split(' USING ')[1]);
    const parts = await em.execute(`select indrelid::regclass::text as table, pg_get_indexdef(inhrelid) as is
      from pg_inherits join pg_index on indexrelid = inhrelid where inhparent = '${index}'::regclass and indisvalid order by 1`);
    const tables = ['orders_2026_01', 'orders_2026_04', 'orders_2026_07', 'orders_2026_10', 'orders_before'];
    expect(parts.map(({ table }) => table)).toEqual(tables);
    for (const part of parts) expect(part.is.split(' USING ')[1]).toBe(expected?.is.split(' USING ')[1]);
  }
});

test.each([
  { name: 'of one table', split: false },
  { name: 'of partitions', split: true },
])('writers of orders, $name, do not wait for indexes behind a transaction that stays open', async ({ split }) => {
  const orm = open(await createDatabaseOf020(), { poolSize: 4 });
  const em = orm.em.fork();
  await em.execute("insert into store (id, name) values ('old', '{}'), ('new', '{}')");
  if (split) await splitOrders(directConnection(orm));
  await migrate(orm);
  await em.execute("delete from migration where name = '1.0-baseline-indexes'");
  const { migrating } = await em.fork().transactional(async running => {
    await running.execute(insertOrder('a'));
    let hasEnded = false;
    const started = migrate(orm).finally(() => (hasEnded = true));
    const waiting = "select from pg_locks where locktype = 'relation' and not granted";
    while (!hasEnded && (await running.execute(waiting)).length === 0);
    await em.fork().transactional(async other => {
      await other.execute("set local statement_timeout = '10s'");
      await other.execute(insertOrder('b').replace("'old'", "'new'"));
    });
    return { migrating: started };
  });
  expect(await migrating).toEqual(['1.0-baseline-indexes']);
});

test('a database whose menu tables version 0.1.0 has partitioned is migrated, and its menus have a history', async () => {
  const orm = open(await createDatabaseOf020());
  const em = orm.em.fork();
  await em.execute(rowsOf020);
  await splitMenus(directConnection(orm));
  await migrate(orm);
  const parts = "select count(*)::int as count from pg_inherits where inhparent = 'menu_item'::regclass";
  expect(await em.execute(parts)).toEqual([{ count: 16 }]);
  await em.execute('update menu_item set price = 500');
  const history = createMenuHistoryRepository({ em, query: queryIn(em) }, defaultHistoryLimits);
  const [page] = await history.findPages(['old'], checkHistoryArguments('old', {}));
  expect(page?.nodes.map(summarize)[0]).toBe('1 item changed');
});

/** Has the database look like one of a version whose last migration this was. */
async function pretend(em: EntityManager, last: string): Promise<void> {
  const names = [
    '0001-initial',
    '0006-store-currency',
    '0021-event-inbox',
    '0028-order-revisions',
    '0035-failing-edge-caches',
  ];
  await em.execute("delete from migration where name like '1.0-%'");
  for (const name of names.slice(0, names.indexOf(last) + 1)) {
    await em.execute('insert into migration (name) values (?)', [name]);
  }
}

test('a database of the last version before the baseline stays as it is, with its rows, keys, cursors and tokens', async () => {
  const created = open(await createEmptyDatabase());
  await migrate(created);
  const orm = open(await createEmptyDatabase());
  await migrate(orm);
  const em = orm.em.fork();
  await em.execute(`${rowsOf020};
    insert into guest_token values ('a', 'old', 'reader', 'token', 1, now());
    insert into edge_cache (url, position, repeated) values ('http://127.0.0.1/', 1, 0);
    update event_log set encrypted_from = 5;
    create function position_event() returns trigger language plpgsql as $$ begin return null; end $$;
    create constraint trigger event_positioned after insert on event deferrable initially deferred
      for each row when (new.position is null) execute function position_event()`);
  await pretend(em, '0035-failing-edge-caches');
  const rows = await readRows(em);
  expect(await isMigrated(orm)).toBe(false);
  expect(await migrate(orm)).toEqual(migrations.map(({ name }) => name));
  expect(await readCatalogs(em)).toEqual(await readCatalogs(created.em.fork()));
  expect(await readRows(em, rows)).toEqual(rows);
});

test.each([
  {
    name: '0.1.0',
    last: '0006-store-currency',
    message:
      'The database is of version 0.1.0 (its last migration is "0006-store-currency"): upgrade it to 0.2.0 first, by `carte migrate` of that version.',
  },
  {
    name: 'a version that was not released',
    last: '0028-order-revisions',
    message:
      'The database is of a version between 0.2.0 and 1.0 that was not released (its last migration is "0028-order-revisions")',
  },
])('a database of $name is refused, and stays as it is', async ({ last, message }) => {
  const orm = open(await createDatabaseOf020());
  const em = orm.em.fork();
  await em.execute('delete from migration');
  await pretend(em, last);
  const before = await readCatalogs(em);
  await expect(migrate(orm)).rejects.toThrow(message);
  expect(await readCatalogs(em)).toEqual(before);
  expect(await em.execute("select from migration where name like '1.0%'")).toEqual([]);
});
