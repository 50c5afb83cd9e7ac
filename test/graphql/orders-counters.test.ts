import { expect, test } from 'vitest';
import { rebuildCounters, verifyCounters } from '../../src/order/counters.ts';
import { orderStatuses } from '../../src/order/statuses.ts';
import { createData, order } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, saveOrders } from '../support/orders.ts';

const orm = await createDatabase();
const data = createData(orm);
const { search, revision } = createOrderGraph(orm);
const run = <Row extends object>(sql: string, values: unknown[] = []) => orm.em.fork().execute<Row[]>(sql, values);

const at = (day: number) => new Date(Date.UTC(2026, 2, day, 12));
const differences = () => verifyCounters(orm.em.fork());

async function countersOf(storeId: string): Promise<string[]> {
  const sql = `select day || ' ' || status || ' ' || n as counter from order_count
    where store_id = ? and n <> 0 order by day, status`;
  return (await run<{ counter: string }>(sql, [storeId])).map(row => row.counter);
}

test('counters are updated by every kind of write', async () => {
  const [one, two] = [(await data.store()).id, (await data.store()).id];
  await saveOrders(orm, [
    order(one, { createdAt: at(1) }),
    order(one, { createdAt: at(1) }),
    order(one, { createdAt: at(2) }),
  ]);
  expect(await countersOf(one)).toEqual(['2026-03-01 PENDING 2', '2026-03-02 PENDING 1', 'infinity PENDING 3']);

  await run("update orders set status = 'READY' where store_id = ? and created_at = ?", [one, at(1)]);
  expect(await countersOf(one)).toEqual([
    '2026-03-01 READY 2',
    '2026-03-02 PENDING 1',
    'infinity PENDING 1',
    'infinity READY 2',
  ]);

  await run("update orders set store_id = ?, created_at = created_at + interval '1 day' where status = 'READY'", [two]);
  expect(await countersOf(two)).toEqual(['2026-03-02 READY 2', 'infinity READY 2']);
  expect((await search(one)).count).toBe(1);

  await run('delete from orders where store_id = ?', [two]);
  expect(await countersOf(two)).toEqual([]);

  await run('delete from store where id = ?', [one]);
  expect(await countersOf(one)).toEqual([]);

  await saveOrders(orm, [order(two)]);
  await run('truncate orders');
  expect(await countersOf(two)).toEqual([]);
});

test('days are in UTC, whatever the timezone of the session', async () => {
  const { id } = await data.store();
  const session = orm.em.fork();
  await session.transactional(async em => {
    await em.execute("set local timezone = 'Pacific/Auckland'");
    await em.execute(
      `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
       values (?, ?, '2026-03-01T23:59:59.999Z', 'READY', '', '', 0, 0, '[]', now(), false, false)`,
      [id, id],
    );
  });
  expect(await countersOf(id)).toEqual(['2026-03-01 READY 1', 'infinity READY 1']);
});

test('verifyCounters reports wrong counters, and rebuildCounters corrects them', async () => {
  const { id } = await data.store();
  await saveOrders(orm, [order(id, { createdAt: at(1) }), order(id, { createdAt: at(2) })]);
  expect(await differences()).toEqual([]);

  await run("update order_count set n = 5 where store_id = ? and day = '2026-03-01'", [id]);
  await run("delete from order_count where store_id = ? and day = '2026-03-02'", [id]);
  await run("insert into order_count values (?, '2026-03-03', 'READY', 1)", [id]);
  await run("update order_count set n = 4 where store_id = ? and day = 'infinity'", [id]);
  const wrong = [
    { storeId: id, day: '2026-03-01', status: 'PENDING', stored: 5, actual: 1 },
    { storeId: id, day: '2026-03-02', status: 'PENDING', stored: 0, actual: 1 },
    { storeId: id, day: '2026-03-03', status: 'READY', stored: 1, actual: 0 },
    { storeId: id, day: 'infinity', status: 'PENDING', stored: 4, actual: 2 },
  ];
  expect(await differences()).toEqual(wrong);

  const before = await revision(id);
  expect(await rebuildCounters(orm.em.fork())).toEqual(wrong);
  expect(await differences()).toEqual([]);
  expect(await countersOf(id)).toEqual(['2026-03-01 PENDING 1', '2026-03-02 PENDING 1', 'infinity PENDING 2']);
  expect(await revision(id)).toBeGreaterThan(before);
});

const pick = <T>(...values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T;

/** Ignores deadlocks of writers on the same orders: PostgreSQL rolls one of them back. */
async function ignoreDeadlock(write: Promise<unknown>): Promise<void> {
  await write.catch((error: { code?: string }) => {
    if (error.code !== '40P01') throw error;
  });
}

test('four concurrent writers leave exact counters, and no two states have the same revision', async () => {
  const stores = [(await data.store()).id, (await data.store()).id, (await data.store()).id] as const;
  const randomDay = () => pick(at(1), at(2), at(3));
  const some = 'id in (select id from orders where store_id = ? order by random() limit 4)';
  const write = () =>
    pick<() => Promise<unknown>>(
      () =>
        saveOrders(
          orm,
          Array.from({ length: 3 }, () => order(pick(...stores), { createdAt: randomDay() })),
        ),
      () => saveOrders(orm, [order(pick(...stores))]),
      () => run(`update orders set status = ? where ${some}`, [pick(...orderStatuses), pick(...stores)]),
      () => run(`update orders set created_at = ? where ${some}`, [randomDay(), pick(...stores)]),
      () => run(`update orders set store_id = ? where ${some}`, [pick(...stores), pick(...stores)]),
      () => run(`delete from orders where ${some}`, [pick(...stores)]),
    )();
  let writing = true;
  const writers = Array.from({ length: 4 }, async () => {
    for (let n = 0; n < 60; n++) await ignoreDeadlock(write());
  });
  const states = new Map<string, string | null>();
  const readStates = `
    select store_id || ' ' || revision as revision,
      (select md5(string_agg(orders::text, ',' order by id)) from orders where orders.store_id = r.store_id) as state
    from order_revision r`;
  const reader = async () => {
    while (writing) {
      for (const { revision, state } of await run<{ revision: string; state: string | null }>(readStates)) {
        expect(states.get(revision) ?? state).toBe(state);
        states.set(revision, state);
      }
    }
  };
  const reading = reader();
  await Promise.all(writers).finally(() => {
    writing = false;
  });
  await reading;
  expect(states.size).toBeGreaterThan(20);
  expect(await differences()).toEqual([]);
  for (const id of stores) {
    const [row] = await run<{ n: number }>('select count(*)::int as n from orders where store_id = ?', [id]);
    expect((await search(id)).count).toBe(row?.n);
  }
});
