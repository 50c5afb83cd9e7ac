import { gunzipSync } from 'node:zlib';
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
