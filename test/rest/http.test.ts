import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';

const origin = 'https://shop.example';
const { http } = readConfig({ CARTE_CORS_ORIGINS: origin });
const app = await startApp({ http });
const closed = await startApp();

describe('Cross-origin requests', () => {
  const preflight = { 'x-api-key': '', 'access-control-request-method': 'POST' };

  test('a preflight succeeds for the configured origins', async () => {
    const response = await app.send('OPTIONS', '/v1/stores/', { headers: { ...preflight, origin } });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-allow-headers')).toContain('X-Api-Key');
  });

  test('a page may read the ETag', async () => {
    const response = await app.get('/v1/stores/', { origin });
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
  });

  test('other origins are not allowed, and by default none is', async () => {
    for (const [service, from] of [
      [app, 'https://elsewhere.example'],
      [closed, origin],
    ] as const) {
      const response = await service.send('OPTIONS', '/v1/stores/', { headers: { ...preflight, origin: from } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('Compression', () => {
  const ordersOf = (id: string) => `{ store(id: "${id}") { orders { nodes { id customer { name } items } } } }`;
  const items = Array.from({ length: 50 }, (_, index) => ({
    ...{ external_id: `item ${index}`, name: { translations: {} }, price: 1, tax: 0, sell_separately: true },
  }));

  async function createMenu() {
    const store = await app.data.store();
    const path = `/v1/stores/${store.id}/menu_configuration/`;
    expect((await app.post(path, { items })).status).toBe(200);
    // Injected, because fetch would decompress the body.
    const flat = (encoding: string) =>
      app.server.inject({ url: `${path}flat`, headers: { 'x-api-key': app.key, 'accept-encoding': encoding } });
    return { path, flat };
  }

  test('a menu is sent in the negotiated encoding', async () => {
    const { flat } = await createMenu();
    const [plain, gzip] = [await flat('identity'), await flat('gzip')];
    expect([plain.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect((await flat('br, gzip')).headers['content-encoding']).toBe('br');
  });

  test.each([
    ['a list of orders', (id: string) => `/v1/stores/${id}/orders/`],
    ['a list of stores', () => '/v1/stores/'],
    ['a query by GET', (id: string) => `/graphql?${new URLSearchParams({ query: ordersOf(id) })}`],
    ['a query', ordersOf, '/graphql'],
  ])('%s is compressed, though no cache has it', async (_what, of, url?: string) => {
    const [store] = [await app.data.store(), await app.data.store(), await app.data.store()];
    await app.data.orders(store, 20);
    const send = (encoding: string, headers = {}) =>
      app.server.inject({
        url: url ?? of(store.id),
        ...(url && { method: 'POST', payload: { query: of(store.id) } }),
        headers: { 'x-api-key': app.key, 'apollo-require-preflight': '1', 'accept-encoding': encoding, ...headers },
      });
    const plain = await send('identity');
    expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined]);
    for (const [encoding, decode] of Object.entries({ gzip: gunzipSync, br: brotliDecompressSync })) {
      const { headers, rawPayload } = await send(encoding);
      expect([headers['content-encoding'], headers['content-length']]).toEqual([encoding, String(rawPayload.length)]);
      expect(headers.vary).toContain('accept-encoding');
      expect(decode(rawPayload).toString()).toBe(plain.body);
      const { etag } = headers;
      if (etag === undefined) continue;
      expect(etag).not.toBe(plain.headers.etag);
      for (const ifNoneMatch of [etag, '*']) {
        const unchanged = await send(encoding, { 'if-none-match': ifNoneMatch });
        expect([unchanged.statusCode, unchanged.headers.etag]).toEqual([304, etag]);
      }
    }
  });

  test('a mutation is not compressed: what tells the length of a secret beside a text of the caller helps to guess it', async () => {
    const query = `mutation { createApiKey(input: { name: "${'a'.repeat(200)}", all: true }) { secret apiKey { ${'name '.repeat(10)} } ${Array.from({ length: 9 }, (_, at) => `a${at}: apiKey { name }`).join(' ')} } }`;
    const { headers, body } = await app.server.inject({
      ...{ url: '/graphql', method: 'POST', payload: { query } },
      headers: { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }), 'accept-encoding': 'gzip' },
    });
    expect(body.length).toBeGreaterThan(1024);
    expect(JSON.parse(body).errors).toBeUndefined();
    expect(headers['content-encoding']).toBeUndefined();
  });

  test('a compressed response has an ETag of its own, which matches as well', async () => {
    const { path, flat } = await createMenu();
    const etags = [await flat('identity'), await flat('gzip')].map(response => String(response.headers.etag));
    expect(new Set(etags).size).toBe(2);
    for (const etag of etags) {
      expect((await app.get(`${path}flat`, { 'if-none-match': etag })).status).toBe(304);
      expect((await app.post(path, { items }, { 'if-match': etag })).status).toBe(200);
    }
  });
});

describe('Rate limit', async () => {
  const limited = await startApp({ rateLimit: 2 });

  test('is off by default', async () => {
    expect((await app.get('/v1/stores/')).headers.get('ratelimit-limit')).toBeNull();
  });

  test('beyond it a key gets 429 with Retry-After, other keys do not', async () => {
    const [first, , third] = [
      await limited.get('/v1/stores/'),
      await limited.get('/v1/stores/'),
      await limited.get('/v1/stores/'),
    ];
    expect([first.status, first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual([
      200,
      '2',
      '1',
    ]);
    expect(third.status).toBe(429);
    expect(third.body).toEqual({ detail: 'This API key may make 2 requests a minute.' });
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.get('/v1/stores/', { 'x-api-key': await limited.newKey() })).status).toBe(200);
  });
});
