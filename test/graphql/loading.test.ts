import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

// One of the shapes asks for more than a stranger may.
const app = await startApp({ graphqlLimits: { depth: 15, aliases: 100, cost: 10 ** 12, objects: 10 ** 6 } });

async function makeStores(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const store = await app.data.store();
    await app.data.menu(store);
    await app.data.orders(store, 7);
  }
}

const shapes = {
  menus: `query ($limit: Int!) { stores(limit: $limit) {
    merchant { brandName }
    menus { categories { items { modifierGroups { modifierItems { menuItem { name { translations } } } } } } }
  } }`,
  orders: `query ($limit: Int!) { stores(limit: $limit) {
    orders(pageSize: 5) { count nodes { id store { name merchant { brandName } } } }
  } }`,
  upwards: `query ($limit: Int!) { merchants(limit: $limit) { stores {
    modifierItems { groups { items { categories { menus { store { merchant { brandName } } } } } } }
  } } }`,
};

async function statementsFor(query: string, limit: number): Promise<number> {
  const { result, statements } = await app.statements.during(() => app.graphql(query, { limit }));
  expect(result.body.errors).toBeUndefined();
  return statements.length;
}

test('the number of statements depends on the shape of a query, not on how much it meets', async () => {
  await makeStores(50);
  const counts: Record<string, number> = {};
  for (const [shape, query] of Object.entries(shapes)) {
    const few = await statementsFor(query, 5);
    const many = await statementsFor(query, 50);
    expect(many, shape).toBe(few);
    counts[shape] = many;
  }
  // The key, the stores with their merchants, then one statement a level: configurations; pages with their counts.
  expect(counts).toEqual({ menus: 3, orders: 3, upwards: 4 });
});
