import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();

/** A body of about 20 KB with a tree of more than a megabyte: the same items in each of many categories. */
function largeBody() {
  const items = Array.from({ length: 100 }, (_, at) => ({
    external_id: `item ${at}`,
    name: { translations: { en: `Item ${at}`, zh: '點心' } },
    price: at,
    tax: 0,
    sell_separately: true,
  }));
  const categories = Array.from({ length: 60 }, (_, at) => ({
    external_id: `category ${at}`,
    name: { translations: { en: `Category ${at}` } },
    item_external_ids: items.map(item => item.external_id),
  }));
  const menu = { external_id: 'menu', availability: [], category_external_ids: categories.map(one => one.external_id) };
  return { items, categories, menus: [menu] };
}

test('a streamed response to a write has Content-Length, and equals that of a read', async () => {
  const path = `/v1/stores/${(await app.data.store()).id}/menu_configuration/`;
  const written = await app.post(path, largeBody());
  expect(written.status).toBe(200);
  const length = Buffer.byteLength(written.text);
  expect(length).toBeGreaterThan(1_000_000);
  expect(written.headers.get('content-length')).toBe(String(length));
  expect(written.headers.get('content-type')).toBe('application/json');
  expect(written.headers.has('transfer-encoding')).toBe(false);
  const read = await app.get(path);
  expect(read.text).toBe(written.text);
});

test('a client that disconnects during the response has written, and blocks nobody', async () => {
  const path = `/v1/stores/${(await app.data.store()).id}/menu_configuration/`;
  const sent = request(new URL(path, app.url), { method: 'POST', headers: { 'x-api-key': app.key } });
  sent.end(JSON.stringify(largeBody()));
  const [response] = await once(sent, 'response');
  await once(response, 'data');
  response.destroy();
  const { body } = await app.get(path);
  expect(body.menu_configuration[0].categories).toHaveLength(60);
});
