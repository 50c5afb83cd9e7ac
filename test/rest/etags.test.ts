import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { routes } from '../support/interface.ts';

const app = await sharedApp();

async function createStore() {
  const store = await app.data.store();
  await app.data.menu(store);
  const [order] = await app.data.orders(store, 1);
  return {
    ...store,
    menuPath: `/v1/stores/${store.id}/menu_configuration/`,
    ordersPath: `/v1/stores/${store.id}/orders/`,
    pathOf: (template: string) =>
      template
        .replace('{store_service_id}', store.id)
        .replace('{merchant_service_id}', String(store.merchant))
        .replace('{order_service_id}', String(order?.id)),
  };
}

const etagOf = ({ headers }: { readonly headers: Headers }) => headers.get('etag') ?? '';

describe('ETag', () => {
  const reads = routes.filter(({ method }) => method === 'GET');

  test.each(reads)('GET $path has a strong one, and is 304 if If-None-Match names it', async ({ path: template }) => {
    const path = (await createStore()).pathOf(template);
    const etag = etagOf(await app.get(path));
    expect(etag).toMatch(/^"[\w-]+(\.gzip)?"$/);
    for (const ifNoneMatch of [etag, `"other", W/${etag}`, '*']) {
      const response = await app.get(path, { 'if-none-match': ifNoneMatch });
      expect([response.status, response.text, etagOf(response)]).toEqual([304, '', etag]);
    }
    expect((await app.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('of a menu changes with the menu', async () => {
    const { menuPath } = await createStore();
    const before = await app.get(menuPath);
    expect(before.body.menu_configuration).not.toEqual([]);
    await app.post(menuPath, { items: [] });
    const after = await app.get(menuPath, { 'if-none-match': etagOf(before) });
    expect(after.status).toBe(200);
    expect(etagOf(after)).not.toBe(etagOf(before));
  });

  test('of an order list changes with the orders of the store', async () => {
    const { ordersPath, ...store } = await createStore();
    const before = await app.get(ordersPath);
    await app.data.orders(store, 1);
    const after = await app.get(ordersPath, { 'if-none-match': etagOf(before) });
    expect([before.body.count, after.status, after.body.count]).toEqual([1, 200, 2]);
    expect(etagOf(after)).not.toBe(etagOf(before));
  });
});

describe('If-None-Match', () => {
  test('an unchanged order list is 304 without loading orders', async () => {
    const { ordersPath } = await createStore();
    const { result, statements } = await app.statements.during(() => app.get(ordersPath));
    const headers = { 'if-none-match': etagOf(result) };
    const conditional = await app.statements.during(() => app.get(ordersPath, headers));
    expect([result.status, conditional.result.status]).toEqual([200, 304]);
    const readsOrders = (text: string) => /\borders\b/.test(text);
    expect(statements.some(readsOrders)).toBe(true);
    expect(conditional.statements.some(readsOrders)).toBe(false);
  });

  test('is ignored by a write', async () => {
    const { menuPath } = await createStore();
    expect((await app.post(menuPath, { items: [] }, { 'if-none-match': '*' })).status).toBe(200);
  });
});
