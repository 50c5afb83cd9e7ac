import DataLoader from 'dataloader';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';

// One of the queries exceeds the default cost limit.
const graphqlLimits = { depth: 15, aliases: 100, cost: 10 ** 12, streamCost: 2_000, objects: 10 ** 6 };
const app = await startApp({ cacheBytes: 0, graphqlLimits });

describe('loads and statements of a request', async () => {
  const store = await app.data.store();
  await app.data.menu(store);
  const [order] = await app.data.orders(store, 3);
  const path = `/v1/stores/${store.id}`;
  const get = (url: string) => () => app.get(url);
  const graphql = (query: string) => () => app.graphql(query);

  // An entity by its id is two loads: one of the request, with its cache, and one of the process, which batches. The key is one more.
  test.each([
    ['one store', get(path), { loads: 3, statements: 1 }],
    ['one merchant', get(`/v1/merchants/${store.merchant}`), { loads: 3, statements: 1 }],
    ['one order', get(`/v1/orders/${order?.id}`), { loads: 3, statements: 1 }],
    // The revision for the ETag, the store, its configuration.
    ['a configuration', get(`${path}/menu_configuration/`), { loads: 5, statements: 3 }],
    // The store, its page of orders with their count.
    ['a list of orders', get(`${path}/orders/`), { loads: 5, statements: 2 }],
    [
      'a nested query',
      // The store (by the query, a menu and an item), the same for the process, its configuration and its orders.
      graphql(`{
        store(id: "${store.id}") {
          menus { store { name { text } } categories { items { store { id } } } }
          orders { nodes { store { merchant { brandName } } } }
        }
      }`),
      { loads: 7, statements: 3 },
    ],
  ])('%s', async (_what, request, expected) => {
    const load = vi.spyOn(DataLoader.prototype, 'load');
    onTestFinished(() => load.mockRestore());
    const { result, statements } = await app.statements.during(request);
    expect(result.status).toBe(200);
    const ofData = statements.filter(text => !text.includes('api_key'));
    expect({ loads: load.mock.calls.length, statements: ofData.length }).toEqual(expected);
  });
});

const queries = {
  menus: `query ($limit: Int!) { stores(first: $limit) { nodes {
    merchant { brandName }
    menus { categories { items { modifierGroups { modifierItems { item { name { translations } } } } } } }
  } } }`,
  orders: `query ($limit: Int!) { stores(first: $limit) { nodes {
    orders(first: 5) { totalCount nodes { id store { name { text } merchant { brandName } } } }
  } } }`,
  upwards: `query ($limit: Int!) { merchants(first: $limit) { nodes { stores { nodes {
    modifierItems { modifierGroups { usedByItems { categories { menus { store { merchant { brandName } } } } } } }
  } } } } }`,
};

test('the number of statements depends on the query, not on the number of objects', async () => {
  for (let index = 0; index < 50; index++) {
    const store = await app.data.store();
    await app.data.menu(store);
    await app.data.orders(store, 7);
  }
  const count = async (query: string, limit: number) => {
    const { result, statements } = await app.statements.during(() => app.graphql(query, { limit }));
    expect(result.body.errors).toBeUndefined();
    return statements.length;
  };
  const counts: Record<string, number> = {};
  for (const [name, query] of Object.entries(queries)) {
    counts[name] = await count(query, 50);
    expect(await count(query, 5), name).toBe(counts[name]);
  }
  // The key, the stores with their merchants, then one statement a level: configurations; pages with their counts.
  expect(counts).toEqual({ menus: 3, orders: 3, upwards: 4 });
});
