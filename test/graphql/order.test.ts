import { expect, test } from 'vitest';
import { operatorScope } from '../../src/scope.ts';
import { createData, order } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, saveOrders } from '../support/orders.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const data = createData(orm);
const graph = createOrderGraph(orm);

const fields = `id createdAt status serviceType customer { name phone } price: priceMinorUnits tax: taxMinorUnits items readyBy isRead inPos customerComments
  completedAt revision store { id }`;

test('an order by id equals the order in the list, with the fields as saved', async () => {
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
  const result = await graph.query(query, { id: given.id, storeId });
  const {
    store,
    customerName,
    customerPhone,
    service: _service,
    steps: _steps,
    placedBy: _key,
    placedByGuest: _guest,
    ...rest
  } = given;
  const expected = { ...rest, customer: { name: customerName, phone: customerPhone }, store: { id: store } };
  expect(result.order).toEqual({ ...JSON.parse(JSON.stringify(expected)), revision: expect.any(Number) });
  expect(result.store.orders.nodes).toEqual([result.order]);
  expect(Object.keys(result.order.items[0])).toEqual(['b', 'a']);
});

test('an order is null if it does not exist or is out of scope', async () => {
  const store = await data.store();
  const [mine, other] = [order(store.id), order((await data.store()).id)];
  await saveOrders(orm, [mine, other]);
  const scope = { ...operatorScope, all: false, storeIds: [store.id] };
  const find = (id: string) => graph.query('query ($id: ID!) { order(id: $id) { id } }', { id }, scope);
  expect(await find(mine.id)).toEqual({ order: { id: mine.id } });
  for (const id of [other.id, 'none', '', '1\0']) expect(await find(id)).toEqual({ order: null });
});

test('the number of statements does not depend on the number of stores', async () => {
  for (let index = 0; index < 50; index++) {
    const store = await data.store();
    await saveOrders(
      orm,
      Array.from({ length: 7 }, () => order(store.id)),
    );
  }
  const query = `query ($limit: Int!) { stores(limit: $limit) { nodes {
    orders(pageSize: 5) { nodes { ${fields} } totalCount }
    late: orders(filter: { customerName: "ana" }) { totalCount pageInfo { hasNextPage endCursor } nodes { id } }
    ordersRevision
  } } }`;
  const counts = [];
  for (const limit of [2, 50]) {
    const { statements: sent } = await statements.during(() => graph.query(query, { limit }));
    counts.push(sent.length);
  }
  // The stores, the revisions of their orders, and two searches, each of which counts as well.
  expect(counts).toEqual([4, 4]);
});

test.each(['totalCount', 'nodes { id }'])(
  'the revision of orders is read before %s, so that no change is missed',
  async selection => {
    const query = `{ stores(limit: 2) { nodes { orders { ${selection} } ordersRevision } } }`;
    const { statements: sent } = await statements.during(() => graph.query(query));
    const revision = sent.findIndex(text => text.includes('from order_revision'));
    const orders = sent.findIndex(text => /from (?:order_count|orders)\b/.test(text));
    expect(revision).toBeGreaterThan(0);
    expect(orders).toBeGreaterThan(revision);
  },
);

test('orders are counted and searched only if selected', async () => {
  const { id } = await data.store();
  const statementsFor = async (selection: string) => {
    const query = `query ($id: ID!) { store(id: $id) { orders { ${selection} } } }`;
    return (await statements.during(() => graph.query(query, { id }))).statements.slice(1);
  };
  expect(await statementsFor('pageIndex pageSize')).toHaveLength(0);
  expect(await statementsFor('totalCount')).toEqual([expect.stringContaining('order_count')]);
  expect(await statementsFor('nodes { id }')).toEqual([expect.not.stringContaining('order_count')]);
});

test.each([
  ['store { id name { text } importedName localizedNames externalId createdAt __typename }', 1],
  ['store { ...Brief ... on Store { name { text } } }', 1],
  ['store { id } store { ...{ createdAt } }', 1],
  ['store { id timezone }', 2],
  ['store { ...Brief ...Wide }', 2],
  ['store { id } store { timezone }', 2],
])('the store of an order is joined if only its common fields are selected: %s', async (selection, expected) => {
  const store = await data.store();
  const given = order(store.id);
  await saveOrders(orm, [given]);
  const fragments = 'fragment Brief on Store { id externalId } fragment Wide on Store { ...{ merchant { id } } }';
  const whole = 'id name { text } importedName localizedNames externalId createdAt __typename timezone merchant { id }';
  const used = fragments.split(/ (?=fragment)/).filter(text => selection.includes(`...${text.split(' ')[1]}`));
  const query = `query ($id: ID!) { order(id: $id) { ${selection} } } ${used.join(' ')}`;
  const { result, statements: sent } = await statements.during(() => graph.query(query, { id: given.id }));
  expect(sent).toHaveLength(expected);
  const { store: found } = await graph.query(`query ($id: ID!) { store(id: $id) { ${whole} } }`, { id: store.id });
  expect(found).toMatchObject(result.order.store);
});
