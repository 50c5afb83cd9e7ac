import { expect, test } from 'vitest';
import { verifyCounters } from '../../src/order/counters.ts';
import { createOrderId } from '../../src/order/entities.ts';
import { startApp } from '../support/app.ts';
import { operatorFork, smallMenu } from '../support/data.ts';
import { directConnection } from '../support/database.ts';
import { splitTables } from '../support/partitions.ts';

const app = await startApp();
const execute = (sql: string, values: readonly unknown[] = []) => app.orm.em.fork().execute(sql, [...values]);
const readIndexes = () =>
  execute(`select indexrelid from pg_index where indrelid = coalesce(to_regclass('orders_before'), to_regclass('orders'))
    order by 1`);
const partitionOf = (orderId: string) =>
  execute('select tableoid::regclass::text as part from orders where id = ?', [orderId]);

const store = await app.data.store();
await app.data.menu(store);
// Of the year before, since the ids of 2026 have partitions of their own, which cannot be added once there are such orders.
const times = Array.from({ length: 20 }, (_, second) => new Date(Date.UTC(2025, 2, 1, 12, 0, second)));
const orderIds = times.map(createOrderId);
for (const [index, id] of orderIds.entries()) {
  await app.data.orders(store, 1, { id, createdAt: times[index] as Date });
}
const path = `/v1/stores/${store.id}`;
const flat = `${path}/menu_configuration/flat`;
const read = () =>
  Promise.all(
    [`${path}/menu_configuration/`, flat, `${path}/orders/`, `/v1/orders/${orderIds[0]}`].map(async each => {
      return (await app.get(each)).text;
    }),
  );
const before = { responses: await read(), indexes: await readIndexes() };
if (process.env.CARTE_TEST_PARTITIONS !== 'on') await splitTables(directConnection(app.orm));

test('partitioning the tables changes no response', async () => {
  expect(await read()).toEqual(before.responses);
});

test('partitioning the orders rebuilds no index', async () => {
  expect(before.indexes).toHaveLength(9);
  expect(await readIndexes()).toEqual(before.indexes);
});

test('replacing a menu in partitioned tables keeps the ids of its items', async () => {
  const other = await app.data.store();
  await app.data.menu(other, smallMenu('Lunch'));
  const readItem = async () => (await app.get(`/v1/stores/${other.id}/menu_configuration/flat`)).body.items[0];
  const { id } = await readItem();
  await app.data.menu(other, smallMenu('Dinner'));
  expect(await readItem()).toMatchObject({ id, name: { translations: { en: 'Dinner' } } });
});

test('replacing an order in partitioned tables updates the counters', async () => {
  const other = await app.data.store();
  const [order] = await app.data.orders(other, 2);
  await app.data.orders(other, 1, { id: String(order?.id), status: 'READY' });
  expect((await app.get(`/v1/stores/${other.id}/orders/?status=READY`)).body.count).toBe(1);
  expect((await app.get(`/v1/stores/${other.id}/orders/`)).body.count).toBe(2);
  expect(await verifyCounters(operatorFork(app.orm))).toEqual([]);
});

test('an order with a UUIDv7 is in the partition of its time, and no partition is created twice', async () => {
  const save = async (createdAt: Date) => {
    const id = createOrderId(createdAt);
    await app.data.orders(store, 1, { id, createdAt });
    return partitionOf(id);
  };
  expect(await save(new Date('2026-12-31T23:59:59.999Z'))).toEqual([{ part: 'orders_2026_10' }]);
  expect(await execute("select add_order_parts('2027-04-15', 1) as created")).toEqual([{ created: 1 }]);
  expect(await execute("select add_order_parts('2027-04-15', 2) as created")).toEqual([{ created: 1 }]);
  expect(await save(new Date('2027-07-01T00:00:00Z'))).toEqual([{ part: 'orders_2027_07' }]);
  expect(await execute("select add_order_parts('2027-10-01', 1, 1) as created")).toEqual([{ created: 1 }]);
  expect(await save(new Date('2027-11-01T00:00:00Z'))).toEqual([{ part: 'orders_before' }]);
});
