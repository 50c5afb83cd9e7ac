import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';

const app = await sharedApp();
const store = await app.data.store();
const path = `/v1/stores/${store.id}/menu_configuration/`;
const orders = `/v1/stores/${store.id}/orders/`;

/** A body whose tree is long enough to be compressed. */
function largeBody() {
  const body = fullBody();
  const more = Array.from({ length: 50 }, (_, at) => ({ ...body.categories[0], external_id: `more${at}` }));
  const menus = [{ ...body.menus[0], category_external_ids: more.map(category => category.external_id) }];
  return { ...body, menus, categories: [...body.categories, ...more] };
}
const posted = await app.post(path, largeBody());

describe('304 has the ETag and Vary of its 200', () => {
  test.each(['br', 'gzip', 'identity'])('with Accept-Encoding: %s', async encoding => {
    const headers = { 'accept-encoding': encoding };
    const ok = await app.get(path, headers);
    const etag = ok.headers.get('etag') ?? '';
    expect(ok.headers.get('content-encoding') ?? 'identity').toBe(encoding);
    for (const ifNoneMatch of [etag, `"x", ${etag}`, '*']) {
      const notModified = await app.get(path, { ...headers, 'if-none-match': ifNoneMatch });
      expect(notModified.status).toBe(304);
      expect(notModified.headers.get('etag')).toBe(etag);
      expect(notModified.headers.get('vary')).toBe(ok.headers.get('vary'));
    }
  });

  test.each(['/', '/menu', '/docs', '/web/page.css'])('of the page %s', async page => {
    const ok = await app.get(page, { 'accept-encoding': 'br' });
    for (const ifNoneMatch of [ok.headers.get('etag') ?? '', '*']) {
      const notModified = await app.get(page, { 'accept-encoding': 'br', 'if-none-match': ifNoneMatch });
      expect(notModified.status).toBe(304);
      for (const name of ['etag', 'vary']) expect(notModified.headers.get(name)).toBe(ok.headers.get(name));
    }
  });
});

test('the ETag of a POST is that of the tree: the next GET with it is 304', async () => {
  const etag = posted.headers.get('etag') ?? '';
  expect((await app.get(path, { 'accept-encoding': 'identity' })).headers.get('etag')).toBe(etag);
  expect((await app.get(path, { 'if-none-match': etag })).status).toBe(304);
  expect((await app.post(path, largeBody(), { 'if-match': etag })).status).toBe(200);
});

describe('a repeated status is a union', async () => {
  await app.data.orders(store, 2, { status: 'PENDING' });
  await app.data.orders(store, 3, { status: 'FULFILLED' });
  await app.data.orders(store, 4, { status: 'READY' });

  test.each([
    ['status=PENDING&status=FULFILLED', 5],
    ['status=PENDING,FULFILLED', 5],
    ['status=PENDING,READY&status=FULFILLED', 9],
    ['status=PENDING&status=', 2],
    ['status=PENDING', 2],
  ])('?%s', async (query, count) => {
    expect((await app.get(`${orders}?${query}`)).body.count).toBe(count);
  });

  test('an unknown one among them is 422', async () => {
    const { status, body } = await app.get(`${orders}?status=PENDING&status=EATEN`);
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['query', 'status', 1], type: 'enum' }]);
  });

  test('the last one of another repeated parameter wins', async () => {
    expect((await app.get(`${orders}?page_size=1&page_size=7`)).body.page_size).toBe(7);
  });
});

describe('page_index and skip accept every safe integer', () => {
  const largest = Number.MAX_SAFE_INTEGER;

  test.each([2 ** 31, 5_000_000_000, largest])('%i: beyond the last page the list is empty', async index => {
    const { status, body } = await app.get(`${orders}?page_index=${index}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ page_index: index, order_result_list: [], count: 9 });
    expect((await app.get(`/v1/stores/?skip=${index}`)).body).toEqual([]);
    expect((await app.get(`/v1/merchants/?skip=${index}`)).body).toEqual([]);
  });

  test('one more is 422', async () => {
    expect((await app.get(`/v1/stores/?skip=${2n ** 53n}`)).status).toBe(422);
  });
});

test('StorePartialInfo has the entries of a name that are maps of strings', async () => {
  const translations = { en: 'Baixa', pt: 'Baixa' };
  const named = await app.data.store({
    name: { translations, short: 'B', mixed: { en: 'x', n: 1 }, list: ['x'], none: null },
  });
  const [order] = await app.data.orders(named, 1);
  expect((await app.get(`/v1/orders/${order?.id}`)).body.store.name).toEqual({ translations });
  expect((await app.get(`/v1/stores/${named.id}/orders/`)).body.order_result_list[0].store.name).toEqual({
    translations,
  });
  expect((await app.get(`/v1/stores/${named.id}`)).body.name).toMatchObject({ short: 'B', list: ['x'] });
});

test('the request schemas declare the bounds of external ids and the allowed characters', async () => {
  const { schemas } = (await app.get('/openapi.json')).body.components;
  const text = { type: 'string', pattern: '^[^\\u0000]*$' };
  for (const name of ['MenuRequest', 'CategoryRequest', 'MenuItemRequest', 'ModifierGroupRequest', 'ModifierItem']) {
    expect(schemas[name].properties.external_id).toMatchObject({ ...text, minLength: 1, maxLength: 255 });
  }
  expect(schemas.MenuItemRequest.properties.ingredients).toMatchObject(text);
});

describe('date-times in query strings', () => {
  const found = async (query: string) => {
    const { status, body } = await app.get(`${orders}?${query}`);
    return status === 200 ? body.count : body.detail[0].type;
  };

  test('T24:00:00Z is the midnight at the end of the day', async () => {
    expect(await found('end_time=2026-02-28T24:00:00Z')).toBe(await found('end_time=2026-03-01T00:00:00Z'));
    expect(await found('start_time=2026-02-28T24:00:00Z')).toBe(9);
    expect(await found('start_time=2026-02-28T24:00:01Z')).toBe('datetime_parsing');
  });

  test.each(['1772366400', '1772366400.5', '-1'])('%s, a Unix timestamp, is rejected', async seconds => {
    expect(await found(`start_time=${seconds}`)).toBe('datetime_parsing');
  });
});
