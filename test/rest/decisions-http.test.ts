import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';

const origin = 'https://shop.example';
const { http } = readConfig({ CARTE_CORS_ORIGINS: origin });
const app = await startApp({ http });
const closed = await startApp();

describe('Calls from pages of other origins', () => {
  const preflight = { 'x-api-key': '', 'access-control-request-method': 'POST' };

  test('a preflight is answered for the origins that the operator named', async () => {
    const answer = await app.send('OPTIONS', '/v1/stores/', { headers: { ...preflight, origin } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-headers')).toContain('X-Api-Key');
  });

  test('a page may read the ETag', async () => {
    const answer = await app.get('/v1/stores/', { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
  });

  test('other origins are not let in, and without setting none is', async () => {
    for (const [service, from] of [
      [app, 'https://elsewhere.example'],
      [closed, origin],
    ] as const) {
      const answer = await service.send('OPTIONS', '/v1/stores/', { headers: { ...preflight, origin: from } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('Compression', async () => {
  const store = await app.data.store();
  const path = `/v1/stores/${store.id}/menu_configuration/`;
  const items = Array.from({ length: 50 }, (_, index) => ({
    ...{ external_id: `item ${index}`, name: { translations: {} }, price: 1, tax: 0, sell_separately: true },
  }));
  await app.post(path, { items });

  /** Without the client's own way of undoing it. */
  const flat = (encoding: string) => app.server.inject({ url: `${path}flat`, headers: headers(encoding) });
  const headers = (encoding: string) => ({ 'x-api-key': app.key, 'accept-encoding': encoding });

  test('a menu comes as the caller can take it', async () => {
    const [plain, gzip] = [await flat('identity'), await flat('gzip')];
    expect([plain.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect((await flat('br, gzip')).headers['content-encoding']).toBe('br');
  });

  test('the tag of a compressed form is another, and as good', async () => {
    const tags = [await flat('identity'), await flat('gzip')].map(answer => String(answer.headers.etag));
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) {
      expect((await app.get(`${path}flat`, { 'if-none-match': tag })).status).toBe(304);
      expect((await app.post(path, { items }, { 'if-match': tag })).status).toBe(200);
    }
  });
});

describe('Rate limit', async () => {
  const limited = await startApp({ rateLimit: 2 });

  test('there is none unless one is set', async () => {
    expect((await app.get('/v1/stores/')).headers.get('ratelimit-limit')).toBeNull();
  });

  test('beyond it a key is 429 with Retry-After, and other keys are not', async () => {
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
