import { graphql } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { readLines } from '../../src/order/lines.ts';
import { operatorScope } from '../../src/scope.ts';
import { inMinorUnits } from '../support/amounts.ts';
import { startApp } from '../support/app.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';

const app = await startApp();
const { createStore, postMenu, tryToPlace, place } = createOrderCalls(app);

const text = 'text(languages: ["pt-PT"])';
const lines = `lines {
  itemExternalId name { ${text} } quantity price { amount } tax { amount } totalPrice { amount } totalTax { amount } note
  item { name { ${text} } price { amount } }
  modifiers {
    modifierGroupExternalId modifierItemExternalId name { ${text} } quantity freeQuantity priceChange { amount } taxChange { amount }
    modifierItem { priceChange { amount } group: modifierGroups { externalId } }
  }
}`;

describe('Order.lines', () => {
  test('are the items as they were priced, with what the menu has now', async () => {
    const storeId = await createStore();
    const burger = line('2 burger: size/large, toppings/cheese*2, toppings/bacon', { note: 'no salt' });
    const { order } = await tryToPlace(inputFor(storeId, [burger, line('1 cola')]));
    await postMenu(storeId, [], 7);
    const { body } = await app.graphql(`query ($id: ID!) { order(id: $id) { ${lines} } }`, { id: order.id });
    const [first, second] = inMinorUnits(body.data.order.lines);
    expect(first).toMatchObject({
      itemExternalId: 'burger',
      name: { text: 'burger (pt)' },
      quantity: 2,
      price: 1000,
      tax: 100,
      totalPrice: 2 * (1000 + 250 + 150),
      totalTax: 2 * (100 + 25 + 15),
      note: 'no salt',
      item: { name: { text: 'burger (pt)' }, price: 1007 },
    });
    expect(first.modifiers[1]).toEqual({
      modifierGroupExternalId: 'toppings',
      modifierItemExternalId: 'cheese',
      name: { text: 'cheese (pt)' },
      quantity: 2,
      freeQuantity: 2,
      priceChange: 120,
      taxChange: 12,
      modifierItem: { priceChange: 120, group: [{ externalId: 'toppings' }] },
    });
    expect(second).toMatchObject({ itemExternalId: 'cola', note: null, modifiers: [], totalPrice: 250 });
    expect([first.totalPrice + second.totalPrice, first.totalTax + second.totalTax]).toEqual([order.price, order.tax]);
  });

  test('have no item and no modifier item where the menu no longer has them', async () => {
    const storeId = await createStore();
    const { id } = await place(storeId, ['1 burger: size/large']);
    expect((await app.post(`/v1/stores/${storeId}/menu_configuration/`, { items: [] })).status).toBe(200);
    const { body } = await app.graphql(`query ($id: ID!) { order(id: $id) { ${lines} } }`, { id });
    expect(body.data.order.lines).toMatchObject([
      { name: { text: 'burger (pt)' }, item: null, modifiers: [{ name: { text: 'large (pt)' }, modifierItem: null }] },
    ]);
  });

  const name = { translations: { en: 'Soup' } };
  const soup = { external_id: 'soup', name, quantity: 1, price: 500, tax: 50, modifiers: [] };
  const roll = { external_id: 'roll', group_external_id: 'bread', name, quantity: 1, price_change: 9, tax_change: 1 };

  test.each([
    ['no items', []],
    ['those of a placed order', [soup, { ...soup, note: 'hot', modifiers: [roll, { ...roll, free_quantity: 1 }] }]],
    ['no modifiers, a null note, more fields', [{ ...soup, modifiers: undefined, note: null, course: 1 }]],
    ['a number with a fraction of zero', [{ ...soup, price: JSON.rawJSON('500.0') }]],
  ])('of imported items are read: %s', (_shape, items) => {
    expect(readLines({ store: 'store', items })).toHaveLength(items.length);
  });

  test.each([
    ['a plain name', [{ ...soup, name: 'Soup' }]],
    ['a name without translations', [{ ...soup, name: { en: 'Soup' } }]],
    ['a translation that is no text', [{ ...soup, name: { translations: { en: 1 } } }]],
    ['no external id', [{ ...soup, external_id: undefined }]],
    ['half a unit', [{ ...soup, quantity: 0.5 }]],
    ['a price that is no number', [{ ...soup, price: '500' }]],
    ['a total beyond the safe integers', [{ ...soup, price: Number.MAX_SAFE_INTEGER, quantity: 2 }]],
    ['a note that is no text', [{ ...soup, note: ['hot'] }]],
    ['modifiers that are no list', [{ ...soup, modifiers: {} }]],
    ['a modifier without its group', [{ ...soup, modifiers: [{ ...roll, group_external_id: null }] }]],
    ['a modifier without a price change', [{ ...soup, modifiers: [{ ...roll, price_change: null }] }]],
    ['one of two of another shape', [soup, { name: 'Soup', quantity: 1 }]],
  ])('of imported items of another shape are null: %s', (_shape, items) => {
    expect(readLines({ store: 'store', items })).toBeNull();
  });

  test('load the menus of all stores in one statement, only if selected, each at the cost of a menu', async () => {
    for (let index = 0; index < 4; index++) {
      const storeId = await createStore();
      for (let order = 0; order < 2; order++) await place(storeId, ['1 burger: size/large', '2 cola']);
    }
    const query = (selection: string) => `query ($limit: Int!) {
      stores(last: $limit) { nodes { orders(first: 5) { nodes { lines { ${selection} } } } } }
    }`;
    const plain = query('name { text } modifiers { name { text } }');
    const linked = query('item { price { amount } } modifiers { modifierItem { priceChange { amount } } }');
    const statementsOf = async (source: string, limit: number) => {
      const { result, statements } = await app.statements.during(() => app.graphql(source, { limit }));
      expect(result.body.errors).toBeUndefined();
      return statements.length;
    };
    // The key, the stores and the orders.
    expect([await statementsOf(plain, 2), await statementsOf(plain, 4)]).toEqual([3, 3]);
    expect([await statementsOf(linked, 2), await statementsOf(linked, 4)]).toEqual([4, 4]);

    const schema = loadSchema();
    const repositories = createRepositories(await createReadAccess(app.orm));
    const run = (limit: number) => {
      const contextValue = createContext({ orm: app.orm, repositories, maxCost: 3_500 }, operatorScope);
      return graphql({ schema, source: linked, variableValues: { limit }, contextValue });
    };
    expect((await run(3)).errors).toBeUndefined();
    expect((await run(4)).errors?.[0]?.message).toContain('the menus of 4 stores');
  });
});
