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

/** What a key lists: its stores and its merchants. */
async function seenWith(key: string) {
  const headers = { 'x-api-key': key };
  const idsOf = (list: readonly { readonly id: string }[]) => new Set(list.map(({ id }) => id));
  const [stores, merchants] = [await app.get('/v1/stores/', headers), await app.get('/v1/merchants/', headers)];
  return { stores: idsOf(stores.body), merchants: idsOf(merchants.body) };
}

const read = async (key: string) => (await app.get('/v1/stores/', { 'x-api-key': key })).status;

/** Asks until the answer is as expected; a key that was ended may live for 5 seconds more. */
async function within5Seconds(ask: () => Promise<number>, expected: number): Promise<void> {
  await expect.poll(ask, { timeout: 5000, interval: 100 }).toBe(expected);
}

describe('What a key may see', () => {
  test('a merchant with all its stores', async () => {
    expect(await seenWith(await app.newKey({ merchantIds: [merchant.id] }))).toEqual({
      stores: new Set([one.id, two.id]),
      merchants: new Set([merchant.id]),
    });
  });

  test('a single store, with its merchant but none of the others', async () => {
    const key = await app.newKey({ storeIds: [one.id] });
    expect(await seenWith(key)).toEqual({ stores: new Set([one.id]), merchants: new Set([merchant.id]) });
    expect((await app.get(`/v1/merchants/${merchant.id}`, { 'x-api-key': key })).status).toBe(200);
  });

  test('all that it was granted', async () => {
    const key = await app.newKey({ merchantIds: [merchant.id], storeIds: [elsewhere.id] });
    expect(await seenWith(key)).toEqual({
      stores: new Set([one.id, two.id, elsewhere.id]),
      merchants: new Set([merchant.id, elsewhere.merchant]),
    });
  });

  test('everything, for a key of the operator', async () => {
    expect((await seenWith(app.key)).stores).toEqual(new Set([one.id, two.id, elsewhere.id]));
  });

  test('nothing after its time', async () => {
    const key = await app.newKey({ expiresAt: new Date(Date.now() + 1500) });
    expect(await read(key)).toBe(200);
    await within5Seconds(() => read(key), 401);
  });

  test('nothing once it is revoked, and the old secret nothing once it is rotated', async () => {
    const request = { name: 'till', all: true, merchantIds: [], storeIds: [], canWrite: false };
    const first = await issueKey(operatorFork(app.orm), request);
    expect(await read(first.key)).toBe(200);
    const second = await rotateKey(operatorFork(app.orm), first.id);
    await within5Seconds(() => read(first.key), 401);
    expect(await read(second.key)).toBe(200);
    await revokeKey(operatorFork(app.orm), first.id);
    await within5Seconds(() => read(second.key), 401);
  });
});

describe('How a key is issued', () => {
  test('it has a prefix to be known by, and only its hash is kept', async () => {
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
  test('whatever a route answers is for the bearer of the key alone, and asked for again each time', async () => {
    const answers = [
      await app.get('/v1/stores/'),
      await app.get('/v1/stores/', { 'if-none-match': '*' }),
      await app.get('/v1/stores/none'),
      await app.get('/v1/stores/?skip=x'),
      await app.get('/v1/stores/', { 'x-api-key': 'unknown' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 404, 422, 401]);
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('private, no-cache');
  });
});

describe('What is decided first', async () => {
  const readOnly = await app.newKey({ canWrite: false });
  const menuOf = (storeId: string) => `/v1/stores/${storeId}/menu_configuration/`;
  const broken = {
    items: [],
    categories: [{ external_id: 'c', name: { translations: {} }, item_external_ids: ['x'] }],
  };
  const foreign = { 'if-match': '"foreign"' };

  test.each([
    ['the key before the body', 401, { 'x-api-key': 'unknown' }, one.id, 'x'.repeat(65 * 1024)],
    ['whether the key may write before the body', 403, { 'x-api-key': readOnly }, 'none', 'x'.repeat(65 * 1024)],
    ['the size of the body before its type', 413, { 'content-type': 'text/plain' }, one.id, 'x'.repeat(65 * 1024)],
    ['the type of the body before what it says', 415, { 'content-type': 'text/plain' }, one.id, '{'],
    ['the shape of the body before If-Match', 422, foreign, 'none', { items: 1 }],
    ['a foreign tag before the store', 412, foreign, 'none', { items: [] }],
    ['the store before what the body refers to', 404, {}, 'none', broken],
  ])('%s: %i', async (_name, status, headers, storeId, body) => {
    expect((await app.post(menuOf(storeId), body, headers)).status).toBe(status);
  });

  test('what the body refers to before the revision: 422', async () => {
    const tag = (await app.get(menuOf(one.id))).headers.get('etag') ?? '';
    const headers = { 'if-match': tag.replace('0-', '9-') };
    expect((await app.post(menuOf(one.id), { items: [] }, headers)).status).toBe(412);
    expect((await app.post(menuOf(one.id), broken, headers)).status).toBe(422);
  });
});
