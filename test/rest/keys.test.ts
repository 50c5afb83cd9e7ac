import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { routes } from '../support/interface.ts';
import { fullBody } from '../support/menu-body.ts';

const bodyLimit = 64 * 1024;
const app = await startApp({ bodyLimit });
const store = await app.data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
const ordersPath = `/v1/stores/${store.id}/orders/`;

const filled = (path: string) => path.replace(/\{\w+\}/, 'nothing');
const absent = (name: string) => ({ detail: `Nothing with this ${name} is in the scope of the API key.` });

describe('Missing or unknown key', () => {
  test.each(routes)('$method $path is 401 without a key', async ({ method, path }) => {
    const answer = await app.send(method, filled(path), { headers: { 'x-api-key': '' } });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail: 'An API key is needed in the header x-api-key.' });
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey');
  });

  test('an unknown key is 401', async () => {
    const answer = await app.get('/v1/stores/', { 'x-api-key': 'carte_unknown' });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail: 'The API key in the header x-api-key is not known, or no longer valid.' });
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey');
  });

  test('it is decided before validation and before the resource is looked up', async () => {
    const keyless = { 'x-api-key': '' };
    const requests = [
      app.get(`${ordersPath}?page_size=0`, keyless),
      app.post(menuPath, '{', keyless),
      app.post(menuPath, 'x', { ...keyless, 'content-type': 'text/plain' }),
      app.post(menuPath, 'x'.repeat(bodyLimit + 1), keyless),
    ];
    for (const answer of await Promise.all(requests)) expect(answer.status).toBe(401);
  });
});

describe("Outside the key's scope", () => {
  test('a single read or write is 404, exactly as for an unknown id', async () => {
    const other = await app.data.store();
    const [order] = await app.data.orders(store, 1);
    const key = await app.newKey({ storeIds: [other.id] });
    const headers = { 'x-api-key': key };
    const answers = [
      [
        await app.get(`/v1/stores/${store.id}`, headers),
        await app.get('/v1/stores/unknown', headers),
        'store_service_id',
      ],
      [
        await app.get(menuPath, headers),
        await app.get('/v1/stores/unknown/menu_configuration/', headers),
        'store_service_id',
      ],
      [
        await app.get(`${menuPath}flat`, headers),
        await app.get('/v1/stores/unknown/menu_configuration/flat', headers),
        'store_service_id',
      ],
      [await app.get(ordersPath, headers), await app.get('/v1/stores/unknown/orders/', headers), 'store_service_id'],
      [
        await app.get(`/v1/orders/${order?.id}`, headers),
        await app.get('/v1/orders/unknown', headers),
        'order_service_id',
      ],
      [
        await app.get(`/v1/merchants/${store.merchant}`, headers),
        await app.get('/v1/merchants/unknown', headers),
        'merchant_service_id',
      ],
      [
        await app.post(menuPath, fullBody(), headers),
        await app.post('/v1/stores/unknown/menu_configuration/', fullBody(), headers),
        'store_service_id',
      ],
    ] as const;
    for (const [outside, unknown, name] of answers) {
      expect(outside.status).toBe(404);
      expect(outside.body).toEqual(absent(name));
      expect([unknown.status, unknown.text]).toEqual([outside.status, outside.text]);
    }
  });

  test('it is 404 also where the caller asks only whether something changed', async () => {
    const headers = {
      'x-api-key': await app.newKey({ storeIds: [(await app.data.store()).id] }),
      'if-none-match': '*',
    };
    for (const path of [menuPath, `${menuPath}flat`, ordersPath, `/v1/stores/${store.id}`]) {
      expect((await app.get(path, headers)).status).toBe(404);
    }
  });

  test('lists leave it out', async () => {
    const headers = { 'x-api-key': await app.newKey({ storeIds: [store.id] }) };
    const stores = await app.get('/v1/stores/', headers);
    const merchants = await app.get('/v1/merchants/', headers);
    expect(stores.body.map(({ id }: { id: string }) => id)).toEqual([store.id]);
    expect(merchants.body.map(({ id }: { id: string }) => id)).toEqual([store.merchant]);
  });
});

test('A write with a read-only key is 403', async () => {
  const answer = await app.post(menuPath, fullBody(), { 'x-api-key': await app.newKey({ canWrite: false }) });
  expect(answer.status).toBe(403);
  expect(answer.body).toEqual({ detail: 'This API key may only read.' });
});
