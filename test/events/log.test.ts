import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReadAccess, queryOn, typeParsers } from '../../src/database/pool.ts';
import { EventsDeleted, readEvents as readLog, timeOf } from '../../src/events/log.ts';
import { deleteExpiredEvents, readLogStatus } from '../../src/events/retention.ts';
import { createSequencer } from '../../src/events/sequencer.ts';
import { createData } from '../support/data.ts';
import { createDatabase, directConnection } from '../support/database.ts';
import { endOfLog, readEvents } from '../support/events.ts';

const orm = await createDatabase();
const data = createData(orm);
const { query } = await createReadAccess(orm);

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ ...directConnection(orm), types: typeParsers() });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Whether a session waits for a lock. */
async function isWaiting(client: pg.Client): Promise<boolean> {
  const pid = Reflect.get(client, 'processID');
  const [row] = await query<{ isWaiting: boolean }>('select cardinality(pg_blocking_pids($1)) > 0 as "isWaiting"', [
    pid,
  ]);
  return row?.isWaiting === true;
}

/** Runs statements, and returns the events that they wrote. */
async function eventsOf(work: () => Promise<unknown>, storeId?: string) {
  const after = await endOfLog(query);
  await work();
  return readEvents(query, { after, limit: 2_000, storeId });
}

const brief = (events: Awaited<ReturnType<typeof eventsOf>>) =>
  events.map(({ kind, orderId, statusBefore, status }) => [kind, orderId, statusBefore, status]);

const insertOrders = (count: number) => `
  insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
  select gen_random_uuid()::text, $1, now() + n * interval '1 second', 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false
  from generate_series(1, ${count}) n returning id`;

const place = (client: pg.Client, storeId: string) => client.query(insertOrders(1), [storeId]);

describe('The event log', () => {
  test('is written by the sequencer alone: every other function writes into the inbox', async () => {
    const functions = `select proname from pg_proc where prosrc ~ 'insert into event\\M' order by 1`;
    expect(await query(functions, [])).toEqual([{ proname: 'sequence_events' }]);
  });

  test('has an event for each change of an order, whatever makes it, and none for a change that changes nothing', async () => {
    const store = await data.store();
    const other = await data.store({ merchant: store.merchant ?? null });
    const [first, second] = await data.orders(store, 2);
    const one = String(first?.id);
    const run = (text: string, values: unknown[] = []) => eventsOf(() => query(text, values));
    const at = await run(`update orders set status = 'READY' where store_id = $1`, [store.id]);
    expect(brief(at)).toEqual([
      ['ORDER_CHANGED', one, 'PENDING', 'READY'],
      ['ORDER_CHANGED', second?.id, 'PENDING', 'READY'],
    ]);
    expect(at[0]).toMatchObject({ storeId: store.id, merchantId: store.merchant, menuRevision: null });
    expect(await run(`update orders set status = status, items = items where store_id = $1`, [store.id])).toEqual([]);
    expect(brief(await run(`update orders set items = '[ ]' where id = $1`, [one]))).toEqual([
      ['ORDER_CHANGED', one, 'READY', 'READY'],
    ]);
    const moved = await run('update orders set store_id = $2 where id = $1', [one, other.id]);
    expect(moved.map(({ kind, storeId, orderId }) => [kind, storeId, orderId])).toEqual([
      ['ORDER_PLACED', other.id, one],
      ['ORDERS_CHANGED', store.id, null],
    ]);
    expect(brief(await run('delete from orders where id = $1', [one]))).toEqual([['ORDERS_CHANGED', null, null, null]]);
  });

  test('has one event for each store after a statement that inserts more than 500 orders', async () => {
    const store = await data.store();
    const some = await eventsOf(() => query(insertOrders(500), [store.id]));
    expect(some.map(({ kind }) => kind)).toEqual(Array(500).fill('ORDER_PLACED'));
    const many = await eventsOf(() => query(insertOrders(501), [store.id]));
    expect(brief(many)).toEqual([['ORDERS_CHANGED', null, null, null]]);
  });

  test('has one event for each store after a statement that updates more than 50 orders', async () => {
    const stores = [await data.store(), await data.store()];
    const ids = stores.map(({ id }) => id).sort();
    await query(insertOrders(50), [ids[0]]);
    const mark = (stored: string) => query(`update orders set in_pos = ${stored} where store_id = any($1)`, [ids]);
    const some = await eventsOf(() => mark('true'));
    expect(some.map(({ kind }) => kind)).toEqual(Array(50).fill('ORDER_CHANGED'));
    await query(insertOrders(1), [ids[1]]);
    const many = await eventsOf(() => mark('not in_pos'));
    expect(many.map(({ kind, storeId, orderId }) => [kind, storeId, orderId])).toEqual(
      ids.map(id => ['ORDERS_CHANGED', id, null]),
    );
  });

  test('has events of stores and their menus, and of a deleted store only that', async () => {
    const kinds = async (work: () => Promise<unknown>) => (await eventsOf(work)).map(event => event.kind);
    const created = await eventsOf(() => data.store());
    expect(created).toMatchObject([{ kind: 'STORE_CREATED' }]);
    const id = String(created[0]?.storeId);
    const store = { ...(await data.store()), id };
    await data.orders(store, 1);
    const menu = await eventsOf(() => data.menu(store));
    expect(menu).toMatchObject([{ kind: 'MENU_CHANGED', storeId: id, menuRevision: expect.any(Number) }]);
    expect(await kinds(() => data.menu(store))).toEqual([]);
    expect(await kinds(() => query('update store set city = city where id = $1', [id]))).toEqual([]);
    expect(await kinds(() => query(`update store set city = 'Porto' where id = $1`, [id]))).toEqual(['STORE_CHANGED']);
    const both = `update store set city = 'Faro', menu_revision = menu_revision + 1 where id = $1`;
    expect(await kinds(() => query(both, [id]))).toEqual(['STORE_CHANGED', 'MENU_CHANGED']);
    const stock = `with source as materialized (select set_config('carte.change_source', 'STOCK', true))
      update store set menu_revision = menu_revision + 1 from source where id = $1`;
    expect(await kinds(() => query(stock, [id]))).toEqual(['STOCK_CHANGED']);
    const deleted = await eventsOf(() => query('delete from merchant where id = $1', [created[0]?.merchantId]));
    expect(deleted).toMatchObject([{ kind: 'STORE_DELETED', storeId: id, merchantId: created[0]?.merchantId }]);
  });

  test('is in the order of commits, not of writes, and shows nothing of what is rolled back', async () => {
    const store = await data.store();
    const [early, late, aborted] = [await connect(), await connect(), await connect()];
    const after = await endOfLog(query);
    for (const client of [early, late, aborted]) {
      await client.query('begin isolation level serializable');
      await place(client, (await data.store()).id);
    }
    await place(early, store.id);
    await early.query('savepoint one');
    await place(early, store.id);
    await early.query('rollback to one');
    await late.query('commit');
    const first = await readEvents(query, { after, limit: 10, kinds: ['ORDER_PLACED'] });
    expect(first).toHaveLength(1);
    await aborted.query('rollback');
    await early.query('commit');
    const all = await readEvents(query, { after, limit: 10, kinds: ['ORDER_PLACED'] });
    expect(all.slice(0, 1)).toEqual(first);
    expect(all).toHaveLength(3);
    // What was written first comes last.
    expect(all.map(({ id }) => id)).not.toEqual(all.map(({ id }) => id).toSorted((a, b) => a - b));
  });

  test('misses nothing for readers while many transactions of any isolation level wait at random before they commit', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => data.store()));
    const start = await endOfLog(query);
    // Never ends while the others run.
    const idle = await connect();
    await idle.query('begin isolation level repeatable read');
    await place(idle, (await data.store()).id);
    let isOver = false;
    const write = async (store: string, level: string) => {
      const client = await connect();
      for (let turn = 0; turn < 25; turn++) {
        await client.query(`begin isolation level ${level}`);
        if (turn % 5 === 0) await client.query('set constraints all immediate');
        await place(client, store);
        await client.query('select pg_sleep(random() * 0.01)');
        await client.query(turn % 4 === 3 ? 'rollback' : 'commit');
      }
    };
    const read = async () => {
      const client = await connect();
      const seen: number[] = [];
      for (let isLast = false; !isLast; ) {
        isLast = isOver;
        const page = await readEvents(queryOn(client), { after: seen.at(-1) ?? start, limit: 7 });
        seen.push(...page.map(({ position }) => position));
        if (page.length > 0) isLast = false;
      }
      return seen;
    };
    const readers = [read(), read()];
    const levels = ['read committed', 'repeatable read', 'serializable', 'read committed'];
    await Promise.all(stores.map((store, index) => write(store.id, String(levels[index]))));
    isOver = true;
    const all = (await readEvents(query, { after: start, limit: 2_000 })).map(({ position }) => position);
    expect(all.length).toBe(4 * 19 + 1);
    expect(await Promise.all(readers)).toEqual([all, all]);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    await idle.query('rollback');
  });

  test('has the events of a store in the order of its commits, also where they wait for each other', async () => {
    const store = await data.store();
    const [first, second] = [await connect(), await connect()];
    const after = await endOfLog(query);
    const ids: string[] = [];
    const placeAs = async (client: pg.Client) => ids.push((await place(client, store.id)).rows[0].id);
    await first.query('begin');
    await placeAs(first);
    // It waits for the first transaction, whose next order comes before it.
    const waiting = placeAs(second);
    await expect.poll(() => isWaiting(second), { timeout: 60_000 }).toBe(true);
    await placeAs(first);
    await first.query('commit');
    await waiting;
    const events = await readEvents(query, { after, limit: 10 });
    expect(events.map(({ orderId }) => orderId)).toEqual(ids);
  });

  test('is completed in batches, with what a long transaction wrote before others, and with what a snapshot does not tell', async () => {
    const [open, runSequencer] = [await connect(), createSequencer(query)];
    const placed = async (after: number) => (await readLog(query, { after, limit: 10 })).map(({ storeId }) => storeId);
    const [one, two] = [await data.store(), await data.store()];
    const start = await endOfLog(query);
    await open.query('begin');
    await place(open, one.id);
    await data.orders(two, 1);
    expect(await runSequencer()).toEqual({ moved: 1, isComplete: true });
    await data.orders(two, 1);
    expect(await runSequencer()).toEqual({ moved: 1, isComplete: true });
    expect(await placed(start)).toEqual([two.id, two.id]);
    await open.query('commit');
    expect(await runSequencer()).toEqual({ moved: 1, isComplete: true });
    expect(await placed(start)).toEqual([two.id, two.id, one.id]);
    // As after a failover to a server that has given fewer transaction ids, and with rows of a database that was restored.
    const move = (seen: string) => query('select moved, next_seen::text as seen from sequence_events($1, 2)', [seen]);
    await query(`insert into event_inbox (xid, kind, store_id) values ('5', 'STORE_CHANGED', $1)`, [one.id]);
    await data.orders(two, 2);
    expect(await move('9000000000:9000000000:')).toEqual([{ moved: 2, seen: '1:1:' }]);
    expect(await move('1:1:')).toMatchObject([{ moved: 1 }]);
    expect(await placed(start)).toHaveLength(6);
  });

  test('is left to one process at a time', async () => {
    const holder = await connect();
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(7274922)');
    const store = await data.store();
    const runSequencer = createSequencer(query, { waitMs: 20 });
    expect(await runSequencer()).toEqual({ moved: 0, isComplete: false });
    await holder.query('rollback');
    expect(await runSequencer()).toEqual({ moved: 1, isComplete: true });
    expect(await query('select from event where store_id = $1', [store.id])).toHaveLength(1);
  });

  test('of two clocks one may be ahead, and moves no position', async () => {
    const before = await endOfLog(query);
    const { id } = await data.store();
    await query(`select sequence_events('1:1:', 100, now() - interval '1 hour')`, []);
    expect(await endOfLog(query)).toBe(before + 1);
    expect(await readEvents(query, { after: before, limit: 2 })).toMatchObject([{ storeId: id }]);
  });

  test('positions are times, and grow also while the clock is behind', async () => {
    const [event] = await eventsOf(() => data.store());
    expect(Math.abs(Date.parse(timeOf(event?.position ?? 0)) - Date.now())).toBeLessThan(60_000);
    const ahead = (Date.now() + 3_600_000) * 1_000;
    await query(`select setval('event_position', $1)`, [ahead]);
    const later = await eventsOf(() => Promise.all([data.store(), data.store()]));
    expect(later.map(({ position }) => position - ahead)).toEqual([1, 2]);
  });

  test('a batch has events of stores that wait behind very many of another one, in the order of each store', async () => {
    const [flooded, calm] = [await data.store(), await data.store()];
    const after = await endOfLog(query);
    await query(insertOrders(20), [flooded.id]);
    await query(insertOrders(3), [calm.id]);
    const batch = () => query(`select sequence_events('1:1:', 6)`, []);
    await batch();
    const stores = async () => (await readLog(query, { after, limit: 100 })).map(({ storeId }) => storeId);
    expect(await stores()).toEqual([...Array(3).fill(flooded.id), ...Array(3).fill(calm.id)]);
    for (let count = 0; count < 3; count++) await batch();
    for (const { id } of [flooded, calm]) {
      const ids = (await readLog(query, { after, limit: 100, storeId: id })).map(event => event.id);
      expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    }
    expect(await stores()).toHaveLength(23);
  });

  test('keeps events for a time, and recognises a position after which some were deleted', async () => {
    await data.store();
    const before = await endOfLog(query);
    expect(await readEvents(query, { after: before - 1, limit: 1 })).toHaveLength(1);
    const keep = { days: 1, events: 1e6 };
    expect(await deleteExpiredEvents(query, keep)).toBe(0);
    await query('update event set position = position - 2 * 86400::bigint * 1000000', []);
    const [{ last, count } = { last: 0, count: 0 }] = await query<{ last: number; count: number }>(
      'select max(position) as last, count(*)::int from event',
      [],
    );
    await query('update event_log set complete_after = 0', []);
    const deleted = await Promise.all([0, 1].map(() => deleteExpiredEvents(query, keep, { size: 100 })));
    expect(Math.max(...deleted)).toBeGreaterThan(0);
    expect(deleted.reduce((sum, some) => sum + some)).toBeLessThanOrEqual(count);
    await deleteExpiredEvents(query, keep);
    expect(await endOfLog(query)).toBe(last);
    expect(await readEvents(query, { after: last, limit: 1 })).toEqual([]);
    await expect(readEvents(query, { after: last - 1, limit: 1 })).rejects.toThrow(EventsDeleted);
    await data.store();
    await endOfLog(query);
    await query('truncate event', []);
    await expect(readEvents(query, { after: last, limit: 1 })).rejects.toThrow(/no longer has all events after/);
  });

  test('keeps no more events than it may, and those that a clock was ahead of for as long as the others', async () => {
    await query('truncate event', []);
    await data.orders(await data.store(), 5);
    await endOfLog(query);
    const count = async () => (await query('select from event', [])).length;
    expect(await deleteExpiredEvents(query, { days: 1, events: 4 })).toBe(2);
    // Two while the clock was a year ahead, and two after it was set right, two days ago.
    const keep = { days: 1, events: 100 };
    const year = 365 * 86_400_000_000;
    await query('update event set position = position + $1::bigint', [year]);
    await query(
      `update event set created_at = case when position > (select min(position) + 1 from event)
      then now() - interval '2 days' else now() + interval '1 year' end`,
      [],
    );
    await data.store();
    await query(`select setval('event_position', $1)`, [Date.now() * 1_000 + year * 2]);
    const end = await endOfLog(query);
    expect(await deleteExpiredEvents(query, { days: 1, events: 100 }, { clock: new Date(0) })).toBe(0);
    expect(await deleteExpiredEvents(query, keep, { size: 3 })).toBe(4);
    expect(await count()).toBe(1);
    expect(await readEvents(query, { after: end - 1, limit: 2 })).toHaveLength(1);
    expect(await readLogStatus(query)).toMatchObject({ events: 1, oldestSeconds: expect.closeTo(0, -2) });
  });
});
