import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { upsertRows } from '../../src/database/save.ts';
import { verifyCounters } from '../../src/order/counters.ts';
import { ageFrom, createOrderId, isAnonymized, type Order, OrderEntity } from '../../src/order/entities.ts';
import { applyOrderRetention } from '../../src/order/retention.ts';
import { startApp } from '../support/app.ts';
import { operatorFork, order } from '../support/data.ts';
import { directConnection } from '../support/database.ts';
import { endOfLog, readEvents } from '../support/events.ts';
import { guest, traces } from '../support/guest.ts';
import { splitOrders } from '../support/partitions.ts';

const app = await startApp();
const em = operatorFork(app.orm);
const { primary } = await createReadAccess(app.orm);
const execute = (sql: string, values: readonly unknown[] = []) => app.orm.em.fork().execute(sql, [...values]);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const path = (storeId: string) => `/v1/stores/${storeId}/orders/?page_size=500`;

/** Saves an order that was placed so many days ago. */
async function save(storeId: string, days: number, given: Partial<Order> = {}): Promise<string> {
  const createdAt = daysAgo(days);
  const id = createOrderId(createdAt);
  const placed = { ...guest, id, createdAt, readyBy: createdAt, ...given };
  await upsertRows(em, OrderEntity, [{ ...order(storeId, placed) }]);
  return id;
}

const namesOf = async (storeId: string): Promise<Record<string, string>> => {
  const { order_result_list: list } = (await app.get(path(storeId))).body;
  return Object.fromEntries(
    list.map(({ id, customer }: { id: string; customer: { name: string } }) => [id, customer.name]),
  );
};

test('orders are anonymized so many days after their completion, or after an open one was to be ready', async () => {
  const { id: storeId } = await app.data.store();
  const emptied = [
    await save(storeId, 40, { status: 'FULFILLED', completedAt: daysAgo(31) }),
    await save(storeId, 31, { status: 'REJECTED' }),
    await save(storeId, 31, { status: 'READY' }),
  ];
  const kept = [
    await save(storeId, 40, { status: 'FULFILLED', completedAt: daysAgo(29) }),
    await save(storeId, 40, { status: 'PENDING', readyBy: daysAgo(-1) }),
    await save(storeId, 29, { status: 'STORE_CANCELLED' }),
  ];
  const before = await app.get(path(storeId));
  const start = await endOfLog(primary);
  expect(await applyOrderRetention(em, { anonymizeDays: 30 }, { size: 2 })).toEqual({ anonymized: 3, deleted: 0 });
  expect(await applyOrderRetention(em, { anonymizeDays: 30 })).toEqual({ anonymized: 0, deleted: 0 });
  expect(await namesOf(storeId)).toEqual({
    ...Object.fromEntries(emptied.map(id => [id, ''])),
    ...Object.fromEntries(kept.map(id => [id, 'Zenobia Quist'])),
  });
  expect((await app.get(path(storeId), { 'if-none-match': String(before.headers.get('etag')) })).status).toBe(200);
  expect((await app.get(`${path(storeId)}&customer_name=zenobia`)).body.count).toBe(3);
  expect(await readEvents(primary, { after: start, limit: 10 })).toEqual([]);
  expect(await verifyCounters(em)).toEqual([]);
  await execute('delete from orders where id = any(?)', [`{${kept.join()}}`]);
  expect(await traces(em)).toEqual([]);

  // A reason that is given later may be about the guest.
  const input = { orderId: emptied[2], to: 'STORE_CANCELLED', reason: 'Zenobia did not come' };
  const change = 'mutation ($input: ChangeOrderStatusInput!) { changeOrderStatus(input: $input) { order { status } } }';
  expect((await app.graphql(change, { input })).body.errors).toBeUndefined();
  expect(await applyOrderRetention(em, { anonymizeDays: 30 })).toEqual({ anonymized: 0, deleted: 0 });
  await execute('update orders set completed_at = ? where id = ?', [daysAgo(31), emptied[2]]);
  expect(await applyOrderRetention(em, { anonymizeDays: 30 })).toEqual({ anonymized: 1, deleted: 0 });
  expect(await traces(em)).toEqual([]);
  await execute('delete from orders');
});

test('a clock that is ahead, of the process alone, changes nothing', async () => {
  const { id: storeId } = await app.data.store();
  await save(storeId, 20);
  const ahead = { clock: daysAgo(-1000) };
  expect(await applyOrderRetention(em, { anonymizeDays: 30, keepDays: 30 }, ahead)).toEqual({
    anonymized: 0,
    deleted: 0,
  });
  const behind = { clock: daysAgo(10) };
  expect(await applyOrderRetention(em, { anonymizeDays: 15 }, behind)).toEqual({ anonymized: 0, deleted: 0 });
});

test('orders are deleted so many days after their completion, anonymized or not, without events', async () => {
  const { id: storeId } = await app.data.store();
  await save(storeId, 400);
  await save(storeId, 401);
  await applyOrderRetention(em, { anonymizeDays: 401 });
  const young = await save(storeId, 399);
  const start = await endOfLog(primary);
  expect(await applyOrderRetention(em, { keepDays: 400 }, { size: 1 })).toEqual({ anonymized: 0, deleted: 2 });
  expect(Object.keys(await namesOf(storeId))).toEqual([young]);
  expect((await app.get(path(storeId))).body.count).toBe(1);
  expect(await readEvents(primary, { after: start, limit: 10 })).toEqual([]);
  expect(await verifyCounters(em)).toEqual([]);
});

test('the index finds what is due without reading the other orders', async () => {
  const { id: storeId } = await app.data.store();
  await execute(
    `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos, anonymized_at)
     select 'index-' || n, ?, now(), 'FULFILLED', '', '', 1, 1, '[]', now(), false, false, case when n % 2 = 0 then now() end
     from generate_series(1, 5000) n`,
    [storeId],
  );
  await execute('analyze orders');
  for (const state of [0, 1]) {
    const plan = await execute(
      `explain select id from orders where ${isAnonymized} = ${state} and ${ageFrom} < now() - interval '30 days' order by ${ageFrom} limit 100`,
    );
    expect(JSON.stringify(plan)).toMatch(/by_age.*Index Cond: [^"]*anonymized_at[^"]* AND [^"]*coalesce/i);
  }
});

describe('partitions', async () => {
  const partitioned = await startApp();
  if (process.env.CARTE_TEST_PARTITIONS !== 'on') await splitOrders(directConnection(partitioned.orm));
  const fork = operatorFork(partitioned.orm);
  const query = (sql: string) => partitioned.orm.em.fork().execute(sql);
  await query("select add_order_parts('2020-01-01', 2)");
  const { id: storeId } = await partitioned.data.store();
  const at = async (time: string, given: Partial<Order> = {}) => {
    const createdAt = new Date(time);
    const row = order(storeId, { ...guest, id: createOrderId(createdAt), createdAt, readyBy: createdAt, ...given });
    await upsertRows(fork, OrderEntity, [{ ...row }]);
    return row.id;
  };
  await at('2020-01-05T12:00:00Z');
  await at('2020-03-05T12:00:00Z');
  await at('2020-06-05T12:00:00Z');
  const parts = async () =>
    (await query("select relname from pg_class where relname like 'orders_20%' and relkind = 'r' order by 1")).map(
      ({ relname }) => relname,
    );
  const existing = await parts();
  // The second quarter has an order that is a day too young.
  const keepDays = Math.floor((Date.now() - Date.parse('2020-06-05T12:00:00Z')) / 86_400_000) + 1;
  const other = new pg.Client(directConnection(partitioned.orm));
  await other.connect();
  afterAll(() => other.end());

  test('one that is being written is not dropped if its youngest order is too young then', async () => {
    await other.query('begin');
    const id = `${createOrderId(new Date('2020-01-06T12:00:00Z')).slice(0, 14)}-young`;
    await other.query(
      `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
       values ($1, $2, now(), 'READY', '', '', 1, 1, '[]', now(), false, false)`,
      [id, storeId],
    );
    // It waits for 200 ms only.
    let run: Promise<unknown> | undefined;
    const isWaiting = async () => {
      run ??= applyOrderRetention(fork, { keepDays }).then(
        () => {},
        () => {
          run = undefined;
        },
      );
      return query("select from pg_locks where not granted and mode = 'ShareRowExclusiveLock'");
    };
    await expect.poll(isWaiting, { interval: 10 }).not.toEqual([]);
    await other.query('commit');
    await run;
    expect((await partitioned.get(`/v1/orders/${id}`)).status).toBe(200);
    expect(await parts()).toEqual(existing);
    await query('alter table orders_2020_01 disable trigger orders_frozen');
    await query(`delete from orders where id = '${id}'`);
  });

  test('those that cannot be locked are tried again later, while other orders are deleted and anonymized', async () => {
    await at('2020-03-05T12:00:01Z', { id: 'x-foreign' });
    await other.query('begin');
    await other.query('lock table orders in access share mode');
    await expect(applyOrderRetention(fork, { keepDays, anonymizeDays: keepDays - 1 })).rejects.toThrow('lock timeout');
    await other.query('commit');
    const [frozen] = await query(
      "select pg_get_triggerdef(oid) as frozen from pg_trigger where tgname = 'orders_frozen'",
    );
    expect(frozen).toMatchObject({ frozen: expect.stringContaining('now() <') });
    expect(await parts()).toEqual(existing);
    expect(await query("select from orders where customer_name <> '' or id = 'x-foreign'")).toEqual([]);
  });

  test('those of which all orders are old are dropped, and their orders leave the counters', async () => {
    const { primary: reads } = await createReadAccess(partitioned.orm);
    const start = await endOfLog(reads);
    const list = `/v1/stores/${storeId}/orders/`;
    const before = await partitioned.get(list);
    expect(await applyOrderRetention(fork, { keepDays })).toEqual({ anonymized: 0, deleted: 2 });
    expect(await parts()).toEqual(existing.filter(part => part !== 'orders_2020_01'));
    const after = await partitioned.get(list, { 'if-none-match': String(before.headers.get('etag')) });
    expect(after.body).toMatchObject({ count: 1, order_result_list: [{ created_at: '2020-06-05T12:00:00.000Z' }] });
    expect(await verifyCounters(fork)).toEqual([]);
    expect(await readEvents(reads, { after: start, limit: 10 })).toEqual([]);
  });
});

test('the service applies the settings while it runs', async () => {
  const running = await startApp({ orderRetention: { anonymizeDays: 30, keepDays: 400 } });
  const store = await running.data.store();
  // Not in a partition, which is dropped as a whole only.
  await running.data.orders(store, 1, { ...guest, id: 'x-deleted', createdAt: daysAgo(401), readyBy: daysAgo(401) });
  await running.data.orders(store, 1, { ...guest, id: 'x-kept', createdAt: daysAgo(31), readyBy: daysAgo(31) });
  const read = async () =>
    (await running.get(path(store.id))).body.order_result_list.map(
      ({ customer }: { customer: { name: string } }) => customer.name,
    );
  await expect.poll(read, { timeout: 20_000 }).toEqual(['']);
});
