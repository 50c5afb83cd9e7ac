import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/entities.ts';
import { sharedApp } from '../support/app.ts';
import { createKey, operatorFork, smallMenu } from '../support/data.ts';
import { fullBody } from '../support/menu-body.ts';

const app = await sharedApp();
const treeOf = (store: Store) => `/v1/stores/${store.id}/menu_configuration/`;
const sql = (text: string, values: unknown[]) => operatorFork(app.orm).execute(text, values);

async function storeWithMenu(): Promise<Store> {
  const store = await app.data.store();
  await app.post(treeOf(store), fullBody());
  return store;
}

/** A store whose menu is not cached: nobody has read it, or written it through the service. */
async function storeWithUncachedMenu(): Promise<Store> {
  const store = await app.data.store();
  await app.data.menu(store);
  return store;
}

const statementsOf = async (path: string) => (await app.statements.during(() => app.get(path))).statements.length;

describe('a response that depends only on the configuration of a store', () => {
  test.each(['', 'flat'])('is cached: the second read of %j queries only the key and the store', async suffix => {
    const store = await storeWithUncachedMenu();
    expect(await statementsOf(treeOf(store) + suffix)).toBe(4);
    expect(await statementsOf(treeOf(store) + suffix)).toBe(2);
  });

  test('is primed by a write with the same response', async () => {
    const store = await app.data.store();
    const written = await app.post(treeOf(store), fullBody());
    const { result: read, statements } = await app.statements.during(() => app.get(treeOf(store)));
    expect(statements.filter(text => text.includes('json_agg'))).toEqual([]);
    expect(read.text).toBe(written.text);
    await sql("update menu_item set prep_type = 'GRILL' where store_id = ?", [store.id]);
    expect((await app.get(treeOf(store))).text).toContain('"prep_type":"GRILL"');
  });

  test('is not primed by a rejected write', async () => {
    const store = await storeWithMenu();
    const before = await app.get(treeOf(store));
    expect((await app.post(treeOf(store), { ...fullBody(), items: [{}] })).status).toBe(422);
    const seen = { 'if-match': before.headers.get('etag') ?? '' };
    const latest = await app.post(treeOf(store), { items: [], menus: [] }, seen);
    expect(latest.status).toBe(200);
    expect((await app.post(treeOf(store), fullBody(), seen)).status).toBe(412);
    expect((await app.get(treeOf(store))).text).toBe(latest.text);
  });

  test('is never older than the last replacement', async () => {
    const store = await storeWithMenu();
    const before = await app.get(treeOf(store));
    await app.data.menu(store, smallMenu('renamed'));
    const after = await app.get(treeOf(store));
    expect(after.text).toContain('renamed');
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('changes when the operator sets prep_type', async () => {
    const store = await storeWithMenu();
    await app.get(treeOf(store));
    await sql("update menu_item set prep_type = 'GRILL' where store_id = ?", [store.id]);
    expect((await app.get(treeOf(store))).text).toContain('"prep_type":"GRILL"');
  });

  test('is not that of a deleted store with the same id', async () => {
    const store = await storeWithMenu();
    const before = await app.get(treeOf(store));
    await sql('delete from store where id = ?', [store.id]);
    await app.data.store({ id: store.id });
    await app.data.menu(store, smallMenu('recreated'));
    const after = await app.get(treeOf(store));
    expect(after.text).toContain('recreated');
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('is 404 for a key without the store in its scope', async () => {
    const store = await storeWithMenu();
    const { headers } = await app.get(treeOf(store));
    const foreign = { 'x-api-key': await app.newKey({ merchantIds: [(await app.data.merchant()).id] }) };
    expect((await app.get(treeOf(store), foreign)).status).toBe(404);
    const conditional = { ...foreign, 'if-none-match': headers.get('etag') ?? '' };
    expect((await app.get(treeOf(store), conditional)).status).toBe(404);
  });

  test('is rendered once for concurrent requests', async () => {
    const store = await storeWithUncachedMenu();
    const { result, statements } = await app.statements.during(() =>
      Promise.all(Array.from({ length: 20 }, () => app.get(treeOf(store)))),
    );
    expect(new Set(result.map(response => response.text)).size).toBe(1);
    expect(statements.filter(text => text.includes('json_agg'))).toHaveLength(1);
  });

  test.each([
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is sent as %s, with an ETag of its own', async (encoding, decompress) => {
    const store = await storeWithMenu();
    const plain = await app.get(treeOf(store), { 'accept-encoding': 'identity' });
    const response = await rawGet(treeOf(store), { 'accept-encoding': `${encoding}, other;q=0.5` });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers.vary).toBe('Origin, x-api-key, accept-encoding');
    expect(decompress(response.body).toString()).toBe(plain.text);
    expect(response.headers.etag).not.toBe(plain.headers.get('etag'));
    for (const etag of [String(response.headers.etag), plain.headers.get('etag') ?? '']) {
      expect((await app.get(treeOf(store), { 'if-none-match': etag })).status).toBe(304);
      expect((await app.post(treeOf(store), fullBody(), { 'if-match': etag })).status).toBe(200);
    }
  });

  test('is not compressed if Accept-Encoding excludes it', async () => {
    const store = await storeWithMenu();
    const response = await rawGet(treeOf(store), { 'accept-encoding': 'br;q=0, gzip;q=0' });
    expect(response.headers['content-encoding']).toBeUndefined();
  });
});

async function rawGet(path: string, headers: Record<string, string>) {
  const { request } = await import('node:http');
  return new Promise<{ headers: Record<string, string | string[] | undefined>; body: Buffer }>((resolve, reject) => {
    const sent = request(new URL(path, app.url), { headers: { 'x-api-key': app.key, ...headers } }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('a list of orders', () => {
  const ordersOf = (store: Store) => `/v1/stores/${store.id}/orders/`;
  const rename = (store: Store) =>
    sql(`update store set name = '{"translations":{"en":"Renamed"}}' where id = ?`, [store.id]);

  test('is kept from the second request on, until its orders or what they show of the store changes', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 2);
    const first = await app.get(ordersOf(store));
    for (let time = 0; time < 3; time++) {
      const again = await app.get(ordersOf(store));
      expect([again.text, again.headers.get('etag')]).toEqual([first.text, first.headers.get('etag')]);
    }
    expect(await statementsOf(ordersOf(store))).toBe(2);
    const [order] = await app.data.orders(store, 1);
    expect((await app.get(ordersOf(store))).text).toContain(order?.id);
    for (let time = 0; time < 3; time++) await app.get(ordersOf(store));
    expect(await statementsOf(ordersOf(store))).toBe(2);
    await rename(store);
    expect((await app.get(ordersOf(store))).text).toContain('Renamed');
  });

  test('that changes between requests costs no statement more, and is not kept', async () => {
    const store = await app.data.store();
    const statements = await statementsOf(ordersOf(store));
    const { bytes } = app.server.responseCache;
    for (let time = 0; time < 5; time++) {
      await app.data.orders(store, 1);
      expect(await statementsOf(ordersOf(store))).toBe(statements);
    }
    expect(app.server.responseCache.bytes).toBe(bytes);
  });

  test('is never older than the last change, also for requests at the same time', async () => {
    const store = await app.data.store();
    const [order] = await app.data.orders(store, 1);
    for (let comment = 0; comment < 20; comment++) {
      await sql('update orders set customer_comments = ? where id = ?', [`comment ${comment}.`, order?.id]);
      const read = await Promise.all(Array.from({ length: 4 }, () => app.get(ordersOf(store))));
      for (const { text } of read) expect(text).toContain(`comment ${comment}.`);
    }
  });

  test('that starts at another time with each request is not kept', async () => {
    const store = await app.data.store();
    const { bytes } = app.server.responseCache;
    for (let second = 10; second < 30; second++) {
      await app.get(`${ordersOf(store)}?start_time=2026-03-01T18:30:${second}Z`);
    }
    expect(app.server.responseCache.bytes).toBe(bytes);
  });

  test('is read in the scope of each key', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 1);
    for (let time = 0; time < 3; time++) await app.get(ordersOf(store));
    const other = await app.data.store();
    const key = await createKey(app.orm, { storeIds: [other.id] });
    expect((await app.get(ordersOf(store), { 'x-api-key': key })).status).toBe(404);
    const placer = await createKey(app.orm, { permissions: ['ORDERS', 'READ_OWN_ORDERS'] });
    for (let time = 0; time < 3; time++) {
      expect((await app.get(ordersOf(store), { 'x-api-key': placer })).body.count).toBe(0);
    }
  });
});
