import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { upsertRows } from '../../src/database/save.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { OrderEntity } from '../../src/order/entities.ts';
import { operatorScope } from '../../src/scope.ts';
import { createData, order } from '../support/data.ts';
import { createDatabase, directConnection } from '../support/database.ts';
import { createOrderGraph, saveOrders } from '../support/orders.ts';

const orm = await createDatabase();
const data = createData(orm);
const { query, revision } = createOrderGraph(orm);
const run = (sql: string, values: unknown[] = []) => orm.em.fork().execute(sql, values);

async function createStoreWithOrder() {
  const store = await data.store();
  const first = order(store.id);
  await saveOrders(orm, [first]);
  return { store, storeId: store.id, orderId: first.id };
}

const changes = [
  "status = 'READY'",
  "created_at = '2020-01-01'",
  "customer_name = 'Bo'",
  "customer_phone = '1'",
  'price = 1',
  'tax = 1',
  "items = '[]'",
  "ready_by = '2020-01-01'",
  'is_read = true',
  'in_pos = true',
  "customer_comments = 'x'",
  'completed_at = now()',
  "id = id || '-2'",
];

describe('ordersRevision', () => {
  test('is 0 for a new store', async () => {
    expect(await revision((await data.store()).id)).toBe(0);
  });

  test.each(changes)('changes with %s of an order', async change => {
    const { storeId, orderId } = await createStoreWithOrder();
    const before = await revision(storeId);
    await run(`update orders set ${change} where id = ?`, [orderId]);
    expect(await revision(storeId)).toBeGreaterThan(before);
  });

  test('changes with every insert, delete and truncate', async () => {
    const { storeId, orderId } = await createStoreWithOrder();
    const revisions = [await revision(storeId)];
    await saveOrders(orm, [order(storeId)]);
    revisions.push(await revision(storeId));
    await run('delete from orders where id = ?', [orderId]);
    revisions.push(await revision(storeId));
    await run('truncate orders');
    revisions.push(await revision(storeId));
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  });

  test('changes at both stores when an order moves between them, and at no other', async () => {
    const [from, to, other] = [
      await createStoreWithOrder(),
      await createStoreWithOrder(),
      await createStoreWithOrder(),
    ];
    const all = () => Promise.all([from, to, other].map(({ storeId }) => revision(storeId)));
    const before = await all();
    await run('update orders set store_id = ? where id = ?', [to.storeId, from.orderId]);
    const after = await all();
    expect(after.map((value, at) => value > (before[at] ?? 0))).toEqual([true, true, false]);
    expect(after[2]).toBe(before[2]);
  });

  test.each([`name = '{"translations": {"en": "New"}}'`, "external_id = 'new'", "created_at = '2020-01-01'"])(
    'changes with %s of the store, which responses on orders contain',
    async change => {
      const { storeId } = await createStoreWithOrder();
      const before = await revision(storeId);
      await run(`update store set ${change} where id = ?`, [storeId]);
      expect(await revision(storeId)).toBeGreaterThan(before);
    },
  );

  test('does not change with the menu, or with a statement that affects no row', async () => {
    const { store, storeId } = await createStoreWithOrder();
    const before = await revision(storeId);
    await data.menu(store);
    await run('update store set name = name where id = ?', [storeId]);
    await run('delete from orders where false');
    await run('update orders set is_read = true where false');
    expect(await revision(storeId)).toBe(before);
  });

  test('is never reused, not even for a store that was deleted and created again', async () => {
    const { storeId } = await createStoreWithOrder();
    const before = await revision(storeId);
    await run('delete from store where id = ?', [storeId]);
    await data.store({ id: storeId });
    await saveOrders(orm, [order(storeId)]);
    expect(await revision(storeId)).toBeGreaterThan(before);
  });
});

describe('Order.revision', () => {
  const revisionOf = async (storeId: string): Promise<number> =>
    (await query('query ($id: ID!) { store(id: $id) { orders { nodes { revision } } } }', { id: storeId })).store.orders
      .nodes[0].revision;
  const now = () => Date.now() * 1000;

  test.each([...changes, "service_type = 'PICKUP'", "service = '{}'", "steps = '[]'", "placed_by = 'x'"])(
    'is the time at which the order was inserted, and then that of %s',
    async change => {
      const started = now();
      const { storeId } = await createStoreWithOrder();
      const before = await revisionOf(storeId);
      await run(`update orders set ${change} where store_id = ?`, [storeId]);
      const times = [started, before, await revisionOf(storeId), now() + 1000];
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    },
  );

  test('does not change with its store or another order, nor with a statement that changes nothing', async () => {
    const { store, storeId } = await createStoreWithOrder();
    const before = await revisionOf(storeId);
    await data.menu(store);
    await run(`update store set name = '{"translations": {"en": "New"}}' where id = ?`, [storeId]);
    await saveOrders(orm, [order(storeId, { createdAt: new Date('2020-01-01T00:00:00Z') })]);
    await run('update orders set status = status, items = items, customer_name = customer_name where store_id = ?', [
      storeId,
    ]);
    expect(await revisionOf(storeId)).toBe(before);
  });

  test('never goes back, whatever a statement says or the clock shows', async () => {
    const { storeId } = await createStoreWithOrder();
    const before = await revisionOf(storeId);
    await run('update orders set revision = 5 where store_id = ?', [storeId]);
    expect(await revisionOf(storeId)).toBeGreaterThan(before);
    const ahead = now() + 3_600_000_000;
    await run('update orders set revision = ? where store_id = ?', [ahead, storeId]);
    await run('update orders set is_read = true where store_id = ?', [storeId]);
    expect(await revisionOf(storeId)).toBe(ahead + 1);
  });

  test('differs for 1,000 changes by eight connections at once, and grows in the order of the event log', async () => {
    const { orderId } = await createStoreWithOrder();
    await run('delete from event_inbox');
    const clients = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const client = new pg.Client(directConnection(orm));
        await client.connect();
        return client;
      }),
    );
    const change = `update orders set is_read = not is_read, status = case status when 'READY' then 'ACCEPTED' else 'READY' end
      where id = $1 returning pg_current_xact_id()::text as xid, revision::float8 as revision`;
    const made = new Map<string, number>();
    const changeRepeatedly = async (client: pg.Client) => {
      for (let turn = 0; turn < 125; turn++) {
        const { rows } = await client.query({ name: 'change', text: change, values: [orderId] });
        made.set(rows[0].xid, rows[0].revision);
      }
      await client.end();
    };
    await Promise.all(clients.map(changeRepeatedly));
    const events = await run('select xid::text from event_inbox order by id');
    const logged = events.map(({ xid }) => made.get(xid));
    expect(new Set(logged).size).toBe(1000);
    expect(logged).toEqual([...made.values()].sort((a, b) => a - b));
  });
});

describe('Store.ordersRevision in a request', () => {
  test('is that of the time at which the store was loaded, before its orders', async () => {
    const { storeId } = await createStoreWithOrder();
    const before = await revision(storeId);
    const dependencies = { orm, repositories: createRepositories(await createReadAccess(orm)) };
    const { loaders } = createContext(dependencies, operatorScope);
    const store = await loaders.stores.byId.load(storeId);
    await saveOrders(orm, [order(storeId)]);
    expect(store?.ordersRevision).toBe(before);
    expect(await revision(storeId)).toBeGreaterThan(before);
  });
});

test('replacing a menu and writing orders do not block each other', async () => {
  const { storeId } = await createStoreWithOrder();
  const before = await revision(storeId);
  const [menu, pos] = [orm.em.fork(), orm.em.fork()];
  const sessions = [menu, pos];
  for (const session of sessions) await session.begin();
  for (const session of sessions) await session.execute("set local lock_timeout = '5s'");
  const replace = () => menu.execute('update store set menu_revision = menu_revision + 1 where id = ?', [storeId]);
  await replace();
  await upsertRows(pos, OrderEntity, [{ ...order(storeId) }]);
  await pos.execute("update orders set status = 'READY' where store_id = ?", [storeId]);
  await replace();
  for (const session of sessions) await session.commit();
  expect(await revision(storeId)).toBeGreaterThan(before);
});
