import DataLoader from 'dataloader';
import { afterAll, expect, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp({ cacheBytes: 0 });
const store = await app.data.store();
await app.data.menu(store);
const [order] = await app.data.orders(store, 3);
const load = vi.spyOn(DataLoader.prototype, 'load');
afterAll(() => load.mockRestore());

/** How many loads a request makes, and how many statements come of them. */
async function counted(request: () => Promise<{ readonly status: number }>) {
  load.mockClear();
  const { result, statements } = await app.statements.during(request);
  expect(result.status).toBe(200);
  const ofData = statements.filter(text => !text.includes('api_key'));
  return { loads: load.mock.calls.length, statements: ofData.length };
}

const path = `/v1/stores/${store.id}`;
const get = (address: string) => () => app.get(address);
const graphql = (query: string) => () => app.graphql(query);

// An entity by its id is two loads: one of the request, with its cache, and one of the process, which batches.
test.each([
  ['one store', get(path), { loads: 2, statements: 1 }],
  ['one merchant', get(`/v1/merchants/${store.merchant}`), { loads: 2, statements: 1 }],
  ['one order', get(`/v1/orders/${order?.id}`), { loads: 2, statements: 1 }],
  // The revision for the ETag, the store, its configuration.
  ['a configuration', get(`${path}/menu_configuration/`), { loads: 4, statements: 3 }],
  // The store, its page of orders with their count.
  ['a list of orders', get(`${path}/orders/`), { loads: 4, statements: 2 }],
  [
    'a nested query',
    // The store (by the query, a menu and an item), the same for the process, its configuration and its orders.
    graphql(`{
      store(id: "${store.id}") {
        menus { store { name } categories { items { store { id } } } }
        orders { nodes { store { merchant { brandName } } } }
      }
    }`),
    { loads: 6, statements: 3 },
  ],
])('%s is loaded through DataLoader', async (_what, request, expected) => {
  expect(await counted(request)).toEqual(expected);
});
