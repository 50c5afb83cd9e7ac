import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp({
  trustedProxies: ['127.0.0.0/8'],
  publishableRateLimit: 0,
  cacheBytes: 512 * 1024 * 1024,
});
const store = await app.data.store();
const other = await app.data.store();
// Texts that hardly shrink, and so take a thread for long.
const textOf = () => ({ translations: { en: randomBytes(6_000).toString('base64') } });
const menuOf = (items: number) => {
  const ids = Array.from({ length: items }, (_, at) => `item-${at}`);
  const entity = { price: 100, tax: 0, sell_separately: true };
  return {
    menus: [{ external_id: 'menu', availability: [], category_external_ids: ['all'] }],
    categories: [{ external_id: 'all', name: { translations: {} }, item_external_ids: ids }],
    items: ids.map(external_id => ({ ...entity, external_id, name: textOf() })),
    modifier_groups: [],
    modifier_items: [],
  };
};
for (const [{ id }, items] of [
  [store, 100],
  [other, 2],
] as const) {
  const { status, text } = await app.post(`/v1/stores/${id}/menu_configuration/`, menuOf(items));
  expect([status, text.slice(0, 500)]).toEqual([200, expect.anything()]);
}

/** Menus, many times over; the alias makes them a response of their own. */
const queryOf = (storeId: string, alias: string, times: number) => {
  const menus = 'menus { categories { items { name { translations } } } }';
  return `{ store(id: "${storeId}") { ${Array.from({ length: times }, (_, at) => `${alias}${at}: ${menus}`).join(' ')} } }`;
};

/** Resolves to the status when the whole response is there. */
const read = (query: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${app.url}/graphql?${new URLSearchParams({ query })}`, { headers }, response =>
      response.on('end', () => resolve(response.statusCode)).resume(),
    );
    sent.on('error', reject).end();
  });

const count = 8;
const publishable = await app.newKey({ publishable: true, permissions: [] });
const [busy, pos] = [await app.newKey(), await app.newKey()];
const guests = (number: number) => ({ 'x-api-key': publishable, 'x-forwarded-for': `203.0.113.${number}` });
const callers: Record<string, (number: number) => Record<string, string>> = {
  'many guests': guests,
  'another key': () => ({ 'x-api-key': busy }),
};

describe('beside large responses that are compressed', () => {
  test.for(Object.keys(callers))('for %s, a POS gets its own compressed before most of them', async name => {
    const headersOf = callers[name] ?? guests;
    const queries = Array.from({ length: count }, (_, at) => queryOf(store.id, `${name.slice(0, 1)}${at}x`, 5));
    // Rendered beforehand, so that nothing but the compression is left.
    for (const [at, query] of queries.entries()) {
      expect(await read(query, { ...headersOf(at), 'accept-encoding': 'identity' })).toBe(200);
    }
    let sent = 0;
    const all = queries.map(async (query, at) => {
      expect(await read(query, { ...headersOf(at), 'accept-encoding': 'gzip' })).toBe(200);
      sent += 1;
    });
    /** How many of them were sent while the POS waited for one response. */
    const passed: number[] = [];
    while (sent < count) {
      const before = sent;
      const query = queryOf(other.id, `${name.slice(0, 1)}p${passed.length}x`, 1);
      expect(await read(query, { 'x-api-key': pos, 'accept-encoding': 'br' })).toBe(200);
      passed.push(sent - before);
    }
    await Promise.all(all);
    expect(Math.max(...passed)).toBeLessThanOrEqual(count / 4);
  });
});
