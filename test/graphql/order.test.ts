import { expect, test } from 'vitest';
import { operatorScope } from '../../src/auth/scope.ts';
import { createData } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, order, saveOrders } from '../support/orders.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const data = createData(orm);
const { ask } = createOrderGraph(orm);

const fields = `id createdAt status customer { name phone } price tax items readyBy isRead inPos customerComments
  completedAt store { id }`;

test('an order is the same by its id and in the list, as it was given', async () => {
  const { id: storeId } = await data.store();
  const given = order(storeId, {
    createdAt: new Date('2026-03-01T10:00:00.123Z'),
    completedAt: new Date('1969-12-31T23:59:59.999Z'),
    customerComments: '',
    price: Number.MAX_SAFE_INTEGER,
    tax: -1,
    items: [{ b: null, a: { deep: [1.5, 'x', {}] } }, {}],
  });
  await saveOrders(orm, [given]);
  const query = `query ($id: ID!, $storeId: ID!) {
    order(id: $id) { ${fields} }
    store(id: $storeId) { orders { nodes { ${fields} } } }
  }`;
  const answer = await ask(query, { id: given.id, storeId });
  const { store, customerName, customerPhone, ...rest } = given;
  const expected = { ...rest, customer: { name: customerName, phone: customerPhone }, store: { id: store } };
  expect(answer.order).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(answer.store.orders.nodes).toEqual([answer.order]);
  expect(Object.keys(answer.order.items[0])).toEqual(['b', 'a']);
});

test('an order is null when there is none, and outside the scope of the key', async () => {
  const store = await data.store();
  const [mine, other] = [order(store.id), order((await data.store()).id)];
  await saveOrders(orm, [mine, other]);
  const scope = { ...operatorScope, all: false, storeIds: [store.id] };
  const seen = (id: string) => ask('query ($id: ID!) { order(id: $id) { id } }', { id }, scope);
  expect(await seen(mine.id)).toEqual({ order: { id: mine.id } });
  for (const id of [other.id, 'none', '', '1\0']) expect(await seen(id)).toEqual({ order: null });
});

test('the number of statements does not depend on the number of stores', async () => {
  for (let index = 0; index < 50; index++) {
    const store = await data.store();
    await saveOrders(
      orm,
      Array.from({ length: 7 }, () => order(store.id)),
    );
  }
  const query = `query ($limit: Int!) { stores(limit: $limit) {
    orders(pageSize: 5) { nodes { ${fields} } count }
    late: orders(filter: { customerName: "ana" }) { count hasNextPage endCursor nodes { id } }
    ordersRevision
  } }`;
  const counts = [];
  for (const limit of [2, 50]) {
    const { statements: sent } = await statements.during(() => ask(query, { limit }));
    counts.push(sent.length);
  }
  // The stores, the revisions of their orders, and two searches, each of which counts as well.
  expect(counts).toEqual([4, 4]);
});

test.each(['count', 'nodes { id }'])(
  'the revision of orders is read before %s, so that no change is missed',
  async selection => {
    const query = `{ stores(limit: 2) { orders { ${selection} } ordersRevision } }`;
    const { statements: sent } = await statements.during(() => ask(query));
    const revision = sent.findIndex(text => text.includes('from order_revision'));
    const orders = sent.findIndex(text => /from (?:order_count|orders)\b/.test(text));
    expect(revision).toBeGreaterThan(0);
    expect(orders).toBeGreaterThan(revision);
  },
);

test('nothing is counted or searched that was not asked for', async () => {
  const { id } = await data.store();
  const sentFor = async (selection: string) => {
    const query = `query ($id: ID!) { store(id: $id) { orders { ${selection} } } }`;
    return (await statements.during(() => ask(query, { id }))).statements.slice(1);
  };
  expect(await sentFor('pageIndex pageSize')).toHaveLength(0);
  expect(await sentFor('count')).toEqual([expect.stringContaining('order_count')]);
  expect(await sentFor('nodes { id }')).toEqual([expect.not.stringContaining('order_count')]);
});

test.each([
  ['store { id name externalId createdAt __typename }', 1],
  ['store { ...Brief ... on Store { name } }', 1],
  ['store { id } store { ...{ createdAt } }', 1],
  ['store { id timezone }', 2],
  ['store { ...Brief ...Wide }', 2],
  ['store { id } store { timezone }', 2],
])('an order brings its store along as far as most ask for it: %s', async (selection, expected) => {
  const store = await data.store();
  const given = order(store.id);
  await saveOrders(orm, [given]);
  const fragments = 'fragment Brief on Store { id externalId } fragment Wide on Store { ...{ merchant { id } } }';
  const whole = 'id name externalId createdAt __typename timezone merchant { id }';
  const used = fragments.split(/ (?=fragment)/).filter(text => selection.includes(`...${text.split(' ')[1]}`));
  const query = `query ($id: ID!) { order(id: $id) { ${selection} } } ${used.join(' ')}`;
  const { result, statements: sent } = await statements.during(() => ask(query, { id: given.id }));
  expect(sent).toHaveLength(expected);
  const { store: seen } = await ask(`query ($id: ID!) { store(id: $id) { ${whole} } }`, { id: store.id });
  expect(seen).toMatchObject(result.order.store);
});
