import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { issueKey, revokeKey, rotateKey } from '../../src/auth/keys.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';

const app = await startApp({ bodyLimit: 64 * 1024 });
const merchant = await app.data.merchant();
const one = await app.data.store({ merchant: merchant.id });
const two = await app.data.store({ merchant: merchant.id });
const elsewhere = await app.data.store();

/** The ids of the stores and merchants that a key lists. */
async function listWith(key: string) {
  const headers = { 'x-api-key': key };
  const idsOf = (list: readonly { readonly id: string }[]) => new Set(list.map(({ id }) => id));
  const [stores, merchants] = [await app.get('/v1/stores/', headers), await app.get('/v1/merchants/', headers)];
  return { stores: idsOf(stores.body), merchants: idsOf(merchants.body) };
}

const statusOf = async (key: string) => (await app.get('/v1/stores/', { 'x-api-key': key })).status;

/** Polls for a status; a revoked key is accepted for up to 5 seconds. */
async function within5Seconds(poll: () => Promise<number>, expected: number): Promise<void> {
  await expect.poll(poll, { timeout: 60_000, interval: 100 }).toBe(expected);
}

describe('Missing or unknown key', () => {
  test('is 401 before validation and before the body is read', async () => {
    const keyless = { 'x-api-key': '' };
    const menuPath = `/v1/stores/${one.id}/menu_configuration/`;
    const requests = [
      app.get(`/v1/stores/${one.id}/orders/?page_size=0`, keyless),
      app.post(menuPath, '{', keyless),
      app.post(menuPath, 'x', { ...keyless, 'content-type': 'text/plain' }),
      app.post(menuPath, 'x'.repeat(65 * 1024), keyless),
    ];
    for (const response of await Promise.all(requests)) expect(response.status).toBe(401);
  });
});

describe('What a key may see', () => {
  test('a merchant with all its stores', async () => {
    expect(await listWith(await app.newKey({ merchantIds: [merchant.id] }))).toEqual({
      stores: new Set([one.id, two.id]),
      merchants: new Set([merchant.id]),
    });
  });

  test('a single store with its merchant, but no other store', async () => {
    const key = await app.newKey({ storeIds: [one.id] });
    expect(await listWith(key)).toEqual({ stores: new Set([one.id]), merchants: new Set([merchant.id]) });
    expect((await app.get(`/v1/merchants/${merchant.id}`, { 'x-api-key': key })).status).toBe(200);
  });

  test('the union of its grants', async () => {
    const key = await app.newKey({ merchantIds: [merchant.id], storeIds: [elsewhere.id] });
    expect(await listWith(key)).toEqual({
      stores: new Set([one.id, two.id, elsewhere.id]),
      merchants: new Set([merchant.id, elsewhere.merchant]),
    });
  });

  test('everything, with all access', async () => {
    expect((await listWith(app.key)).stores).toEqual(new Set([one.id, two.id, elsewhere.id]));
  });

  test('nothing once it has expired', async () => {
    const key = await app.newKey({ expiresAt: new Date(Date.now() + 1500) });
    expect(await statusOf(key)).toBe(200);
    await within5Seconds(() => statusOf(key), 401);
  });

  test('nothing once it is revoked, or rotated and the old secret is used', async () => {
    const request = { name: 'POS', all: true, merchantIds: [], storeIds: [], permissions: [] };
    const first = await issueKey(operatorFork(app.orm), request);
    expect(await statusOf(first.key)).toBe(200);
    const second = await rotateKey(operatorFork(app.orm), first.id);
    await within5Seconds(() => statusOf(first.key), 401);
    expect(await statusOf(second?.key ?? '')).toBe(200);
    await revokeKey(operatorFork(app.orm), first.id);
    await within5Seconds(() => statusOf(second?.key ?? ''), 401);
  });
});

test('What a key may read', async () => {
  const orders = { 'x-api-key': await app.newKey({ permissions: ['READ_ORDERS', 'MENU'] }) };
  expect((await app.get(`/v1/stores/${one.id}/orders/`, orders)).status).toBe(200);
  for (const path of [`/v1/stores/${one.id}`, '/v1/stores/none', '/v1/stores/?skip=x']) {
    expect((await app.get(path, orders)).status).toBe(403);
  }
  expect((await app.post(`/v1/stores/${one.id}/menu_configuration/`, { items: 1 }, orders)).status).toBe(403);
});

test('A publishable key', async () => {
  const origins = ['https://menu.example'];
  const guest = { 'x-api-key': await app.newKey({ publishable: true, permissions: [], origins }) };
  const menu = `/v1/stores/${one.id}/menu_configuration/`;
  for (const path of [`/v1/stores/${one.id}`, '/v1/merchants/', menu]) {
    expect((await app.get(path, { ...guest, origin: 'https://menu.example' })).status).toBe(200);
    expect((await app.get(path, { ...guest, origin: 'https://evil.example' })).status).toBe(403);
  }
  for (const path of [`${menu}flat`, `/v1/stores/${one.id}/orders/`]) {
    expect((await app.get(path, guest)).status).toBe(403);
  }
  expect((await app.post(menu, { items: [] }, guest)).status).toBe(403);
});

describe('Issuing a key', () => {
  test('it has a recognizable prefix, and only its hash is stored', async () => {
    const key = await app.newKey();
    expect(key).toMatch(/^carte_[\w-]{43}$/);
    const rows = await app.orm.em
      .fork()
      .execute<{ row: string; hash: string }[]>("select k::text as row, encode(hash, 'hex') as hash from api_key k");
    expect(rows.map(({ hash }) => hash)).toContain(createHash('sha256').update(key).digest('hex'));
    expect(rows.filter(({ row }) => row.includes(key))).toEqual([]);
  });
});

describe('Caching', () => {
  test('a response with an ETag is private and must be revalidated, and no other is stored', async () => {
    const responses = [
      await app.get('/v1/stores/'),
      await app.get('/v1/stores/', { 'if-none-match': '*' }),
      await app.get('/v1/stores/none'),
      await app.get('/v1/stores/?skip=x'),
      await app.get('/v1/stores/', { 'x-api-key': 'unknown' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 304, 404, 422, 401]);
    const [revalidated, notStored] = ['private, no-cache', 'no-store'];
    expect(responses.map(({ headers }) => headers.get('cache-control'))).toEqual([
      ...[revalidated, revalidated],
      ...[notStored, notStored, notStored],
    ]);
  });
});

describe('Order of checks', async () => {
  const readOnly = await app.newKey({ permissions: [] });
  const menuOf = (storeId: string) => `/v1/stores/${storeId}/menu_configuration/`;
  const broken = {
    items: [],
    categories: [{ external_id: 'c', name: { translations: {} }, item_external_ids: ['x'] }],
  };
  const unknownETag = { 'if-match': '"unknown"' };

  test.each([
    ['the key before the body', 401, { 'x-api-key': 'unknown' }, one.id, 'x'.repeat(65 * 1024)],
    ['whether the key may write before the body', 403, { 'x-api-key': readOnly }, 'none', 'x'.repeat(65 * 1024)],
    ['the size of the body before its type', 413, { 'content-type': 'text/plain' }, one.id, 'x'.repeat(65 * 1024)],
    ['the type of the body before its content', 415, { 'content-type': 'text/plain' }, one.id, '{'],
    ['the shape of the body before If-Match', 422, unknownETag, 'none', { items: 1 }],
    ['an unknown ETag before the store', 412, unknownETag, 'none', { items: [] }],
    ['the store before the references in the body', 404, {}, 'none', broken],
  ])('%s: %i', async (_name, status, headers, storeId, body) => {
    expect((await app.post(menuOf(storeId), body, headers)).status).toBe(status);
  });

  test('the references in the body before the revision: 422', async () => {
    const etag = (await app.get(menuOf(one.id))).headers.get('etag') ?? '';
    const headers = { 'if-match': etag.replace('0-', '9-') };
    expect((await app.post(menuOf(one.id), { items: [] }, headers)).status).toBe(412);
    expect((await app.post(menuOf(one.id), broken, headers)).status).toBe(422);
  });
});
