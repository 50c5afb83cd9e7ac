import { describe, expect, test } from 'vitest';
import { decimalOf } from '../../src/store/currency.ts';
import type { Store } from '../../src/store/entities.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';
import { writeSet } from '../support/operations.ts';

const shop = writeSet('shop', {
  'a.graphql': `
query getPrices($store_id: ID!) @route(path: "/shop/stores/{store_id}/prices") {
  store(id: $store_id) { menuRevision @etag items @body { id: externalId ...Price } }
}
query getAmounts($store_id: ID!) @route(path: "/shop/stores/{store_id}/amounts") {
  store(id: $store_id) { menuRevision @etag items @body { id: externalId price { amount } } }
}
query listTotals($store_id: ID!) @route(path: "/shop/stores/{store_id}/totals") {
  store(id: $store_id) { ordersRevision @etag orders @body { nodes { total { decimal } } } }
}
mutation setPrices($store_id: ID!, $items: [ItemPriceInput!]!, $revision: SafeInt @ifMatch(etagsOf: ["getPrices"]))
@route(method: POST, path: "/shop/stores/{store_id}/prices") {
  changePrices(input: { storeId: $store_id, items: $items, expectedMenuRevision: $revision }) {
    store { menuRevision @etag items @body { id: externalId ...Price } }
  }
}
fragment Price on MenuItem { price { currency decimal } }`,
});

const app = await startApp({ operations: [shop] });
const { postMenu, tryToPlace } = createOrderCalls(app);
const money = '{ amount currency decimal }';

async function createStore(given: Partial<Pick<Store, 'currency' | 'country'>>): Promise<Store> {
  const store = await app.data.store({ timezone: 'Europe/Lisbon', ...given });
  await postMenu(store.id);
  return store;
}

const saveStore = async (
  { id }: Store,
  { currency, country }: Partial<Pick<Store, 'currency' | 'country'>>,
): Promise<void> => {
  const input = { id, name: { translations: {} }, currency, address: { country } };
  const { body } = await app.graphql(
    'mutation ($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }',
    { input },
    { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) },
  );
  expect(body.errors).toBeUndefined();
};

test.each([
  ['EUR', ['0.00', '0.05', '-0.60', '12.50', '90071992547409.91']],
  ['HUF', ['0.00', '0.05', '-0.60', '12.50', '90071992547409.91']],
  ['JPY', ['0', '5', '-60', '1250', '9007199254740991']],
  ['KWD', ['0.000', '0.005', '-0.060', '1.250', '9007199254740.991']],
  ['CLF', ['0.0000', '0.0005', '-0.0060', '0.1250', '900719925474.0991']],
])('amounts in %s have the decimals of ISO 4217, exactly', (currency, expected) => {
  const amounts = [0, 5, -60, 1250, Number.MAX_SAFE_INTEGER];
  expect(amounts.map(amount => decimalOf({ amount, currency }))).toEqual(expected);
});

describe.each([
  ['EUR', ['10.00', '1.00', '-0.20', '0.00', '5.40']],
  ['HUF', ['10.00', '1.00', '-0.20', '0.00', '5.40']],
  ['JPY', ['1000', '100', '-20', '0', '540']],
  ['KWD', ['1.000', '0.100', '-0.020', '0.000', '0.540']],
  [null, [null, null, null, null, null]],
])('with the currency %s', (currency, [burger, burgerTax, noIce, zero, total]) => {
  const of = (amount: number, decimal: string | null | undefined) => ({ amount, currency, decimal });

  test('a menu has its amounts as money, also a past one', async () => {
    const store = await createStore({ currency });
    const entities = `item(externalId: "burger") { price ${money} tax ${money} }
      modifierItem(externalId: "no-ice") { priceChange ${money} taxChange ${money} }
      regular: modifierItem(externalId: "regular") { priceChange ${money} }`;
    const query = `query ($id: ID!) { store(id: $id) { currency
      menuHistory(first: 1) { nodes { configuration { ${entities} } } } ${entities} } }`;
    const { body } = await app.graphql(query, { id: store.id });
    const expected = {
      item: { price: of(1000, burger), tax: of(100, burgerTax) },
      modifierItem: { priceChange: of(-20, noIce), taxChange: { amount: -4 } },
      regular: { priceChange: of(0, zero) },
    };
    expect(body.data.store).toMatchObject({ currency, ...expected });
    expect(body.data.store.menuHistory.nodes[0].configuration).toMatchObject(expected);
  });

  test('an order has, and its quote', async () => {
    const { id: storeId } = await createStore({ currency });
    const service = {
      payments: [{ method: 'card', amount: 540 }],
      charges: [{ name: 'Delivery', amount: 300, tax: 0 }],
      discounts: [{ name: 'Welcome', amount: 100 }],
      tip: 110,
    };
    const lines = [line('1 cola: ice/no-ice')];
    const { order } = await tryToPlace(inputFor(storeId, lines, service));
    const adjustments = `charges { amount ${money} tax ${money} } discounts { tax ${money} }`;
    const amounts = `price ${money} tax ${money} total ${money} tip ${money} ${adjustments} lines {
      price ${money} tax ${money} totalPrice ${money} totalTax ${money}
      modifiers { priceChange ${money} taxChange ${money} } }`;
    const query = `query ($id: ID!, $storeId: ID!, $quoted: QuoteOrderInput!) {
      quote: quoteOrder(input: $quoted) { ${amounts} }
      order(id: $id) { ${amounts} payments { amount ${money} } store { currency } }
      store(id: $storeId) { orders { nodes { ${amounts} } } }
    }`;
    const variables = { id: order.id, storeId, quoted: { storeId, lines, ...service } };
    const { body, text } = await app.graphql(query, variables);
    const expected = {
      price: { amount: 230, currency },
      tax: { amount: 54, currency },
      total: of(540, total),
      tip: { amount: 110, currency },
      charges: [{ amount: { amount: 300, currency }, tax: of(0, zero) }],
      discounts: [{ tax: null }],
      lines: [
        {
          price: { amount: 250, currency },
          tax: { amount: 58, currency },
          totalPrice: { amount: 230, currency },
          totalTax: { amount: 54, currency },
          modifiers: [{ priceChange: of(-20, noIce), taxChange: { amount: -4, currency } }],
        },
      ],
    };
    expect(body.errors).toBeUndefined();
    expect(body.data.order).toMatchObject({
      ...expected,
      payments: [{ amount: of(540, total) }],
      store: { currency },
    });
    expect(body.data.quote).toMatchObject(expected);
    expect(body.data.store.orders.nodes[0]).toMatchObject(expected);
    // The first was executed by graphql-js; this one is compiled.
    expect((await app.graphql(query, variables)).text).toBe(text);
  });
});

test('a mutation responds with money', async () => {
  const { id } = await createStore({ currency: 'KWD' });
  const input = inputFor(id, [line('1 cola')]);
  const place = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id total ${money} } } }`;
  const { order } = (await app.graphql(place, { input })).body.data.placeOrder;
  expect(order.total).toEqual({ amount: 250, currency: 'KWD', decimal: '0.250' });
  const accept = `mutation ($id: ID!) { changeOrderStatus(input: { orderId: $id, to: ACCEPTED }) { order { total ${money} } } }`;
  const accepted = await app.graphql(accept, { id: order.id });
  expect(accepted.body.data.changeOrderStatus.order.total).toEqual(order.total);
});

test('a page of orders with money runs as many statements as without', async () => {
  const store = await app.data.store({ currency: 'EUR' });
  await app.data.orders(store, 500);
  const read = (fields: string) =>
    app.statements.during(() =>
      app.graphql(`query ($id: ID!) { store(id: $id) { orders(first: 500) { nodes { ${fields} } } } }`, {
        id: store.id,
      }),
    );
  const { statements } = await read('id');
  const { result, statements: withMoney } = await read(`total ${money} store { currency address { country } }`);
  expect(result.body.data.store.orders.nodes[499].total).toEqual({
    amount: 1200,
    currency: 'EUR',
    decimal: '12.00',
  });
  expect(withMoney).toHaveLength(statements.length);
});

describe('when the currency of a store changes', () => {
  const query = `query ($id: ID!, $languages: [String!]!) { store(id: $id) {
    items { name { text(languages: $languages) } price ${money} } } }`;
  const readBy = {
    POST: (id: string) => app.graphql(query, { id, languages: ['en'] }),
    GET: (id: string) =>
      app.get(`/graphql?${new URLSearchParams({ query, variables: JSON.stringify({ id, languages: ['en'] }) })}`, {
        'apollo-require-preflight': '1',
      }),
  };

  test.each(Object.entries(readBy))('the response to %s has the new one', async (_, read) => {
    const store = await createStore({ country: 'Portugal' });
    const moneyOf = async () => (await read(store.id)).body.data.store.items[0].price;
    expect(await moneyOf()).toEqual({ amount: 1000, currency: 'EUR', decimal: '10.00' });
    await saveStore(store, { country: 'Japan' });
    expect(await moneyOf()).toEqual({ amount: 1000, currency: 'JPY', decimal: '1000' });
    await saveStore(store, { country: 'Japan', currency: 'KWD' });
    expect(await moneyOf()).toEqual({ amount: 1000, currency: 'KWD', decimal: '1.000' });
    await saveStore(store, {});
    expect(await moneyOf()).toEqual({ amount: 1000, currency: null, decimal: null });
  });

  test('a response that was rendered after the change is not cached as one of before, and later ones are cached', async () => {
    const store = await createStore({ currency: 'EUR' });
    const read = async () => (await readBy.POST(store.id)).body.data.store.items[0].price.currency;
    const change = (currency: string) =>
      operatorFork(app.orm).execute('update store set currency = ? where id = ?', [currency, store.id]);
    for (let round = 0; round < 10; round++) {
      const currency = round % 2 === 0 ? 'JPY' : 'EUR';
      await Promise.all([read(), change(currency), read(), read()]);
      expect(await read()).toBe(currency);
    }
    const { statements } = await app.statements.during(read);
    expect(statements).toHaveLength(2);
  });

  test('the ETag of a route with money changes, and that of amounts alone does not', async () => {
    const store = await createStore({ currency: 'EUR' });
    const [prices, amounts] = ['prices', 'amounts'].map(name => `/shop/stores/${store.id}/${name}`) as [string, string];
    const etagOf = ({ headers }: { readonly headers: Headers }) => String(headers.get('etag'));
    const [before, unchanged] = [await app.get(prices), await app.get(amounts)];
    expect(before.body[0]).toEqual({ id: 'burger', price: { currency: 'EUR', decimal: '10.00' } });
    expect((await app.get(prices, { 'if-none-match': etagOf(before) })).status).toBe(304);
    await saveStore(store, { currency: 'JPY' });
    const after = await app.get(prices, { 'if-none-match': etagOf(before) });
    expect([after.status, after.body[0].price]).toEqual([200, { currency: 'JPY', decimal: '1000' }]);
    expect((await app.get(prices, { 'if-none-match': etagOf(after) })).status).toBe(304);
    expect((await app.get(amounts, { 'if-none-match': etagOf(unchanged) })).status).toBe(304);
    await saveStore(store, { country: 'nowhere' });
    expect((await app.get(prices, { 'if-none-match': etagOf(after) })).body[0].price.currency).toBeUndefined();
  });

  test('the ETag of a route with orders changes as well', async () => {
    const store = await createStore({ currency: 'EUR' });
    await app.data.orders(store, 1);
    const path = `/shop/stores/${store.id}/totals`;
    const before = await app.get(path);
    const headers = { 'if-none-match': String(before.headers.get('etag')) };
    expect((await app.get(path, headers)).status).toBe(304);
    await saveStore(store, { currency: 'JPY' });
    expect((await app.get(path, headers)).body.nodes).toEqual([{ total: { decimal: '1200' } }]);
  });

  test('If-Match of a route accepts the ETag of a read with money, and its response has one', async () => {
    const store = await createStore({ currency: 'EUR' });
    const path = `/shop/stores/${store.id}/prices`;
    const headers = { 'if-match': String((await app.get(path)).headers.get('etag')) };
    const write = () => app.post(path, { items: [{ external_id: 'burger', price: 1 }] }, headers);
    const written = await write();
    expect([written.status, written.body[0].price.decimal]).toEqual([200, '0.01']);
    expect((await write()).status).toBe(412);
    const etag = String(written.headers.get('etag'));
    expect(etag).toContain('.EUR-');
  });

  test('ordersRevision grows, since orders show the currency', async () => {
    const store = await app.data.store({ country: 'PT' });
    const read = async () =>
      (await app.graphql('query ($id: ID!) { store(id: $id) { ordersRevision } }', { id: store.id })).body.data.store
        .ordersRevision;
    const before = await read();
    await operatorFork(app.orm).execute("update store set country = 'JP' where id = ?", [store.id]);
    expect(await read()).toBeGreaterThan(before);
  });
});

test('amounts of several stores have a currency each', async () => {
  const stores = [await app.data.store({ currency: 'EUR' }), await app.data.store({ currency: 'JPY' })];
  for (const store of stores) await app.data.menu(store);
  const fields = 'items { price { currency } categories { items { price { currency } } } }';
  const { body } = await app.graphql(
    `{ ${stores.map(({ id }, at) => `s${at}: store(id: "${id}") { ${fields} }`).join(' ')} }`,
  );
  const itemIn = (currency: string) => ({ price: { currency } });
  const expected = (currency: string) => ({
    items: [{ ...itemIn(currency), categories: [{ items: [itemIn(currency)] }] }],
  });
  expect(body.data).toEqual({ s0: expected('EUR'), s1: expected('JPY') });
});
