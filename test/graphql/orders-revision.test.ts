import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { upsertRows } from '../../src/database/save.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { OrderEntity } from '../../src/order/entities.ts';
import { operatorScope } from '../../src/scope.ts';
import { createData, order } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, saveOrders } from '../support/orders.ts';

const orm = await createDatabase();
const data = createData(orm);
const { revision } = createOrderGraph(orm);
const run = (sql: string, values: unknown[] = []) => orm.em.fork().execute(sql, values);

async function createStoreWithOrder() {
  const store = await data.store();
  const first = order(store.id);
  await saveOrders(orm, [first]);
  return { store, storeId: store.id, orderId: first.id };
}

describe('ordersRevision', () => {
  test('is 0 for a new store', async () => {
    expect(await revision((await data.store()).id)).toBe(0);
  });

  test.each([
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
  ])('changes with %s of an order', async change => {
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
