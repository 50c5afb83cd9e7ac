import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';

const app = await startApp();
const pathOf = (store: { readonly id: string }) => `/v1/stores/${store.id}/menu_configuration/`;

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
const withoutIds = (value: any): any =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'id' ? undefined : inner)));

describe('POST /v1/stores/{store_service_id}/menu_configuration/', () => {
  test('what was posted is given back, nested and flat', async () => {
    const store = await app.data.store();
    const posted = fullBody();
    const { status, body } = await app.post(pathOf(store), posted);
    expect(status).toBe(200);
    const flat = await app.get(`${pathOf(store)}flat`);
    const [espresso, water] = posted.items;
    expect(withoutIds(flat.body)).toEqual({
      ...posted,
      items: [espresso, { ...water, in_stock: true, modifier_external_ids: [] }],
      menus: [posted.menus[0], { ...posted.menus[1], category_external_ids: [] }],
    });
    expect((await app.get(pathOf(store))).body).toEqual(body);
    expect(withoutIds(body.menu_configuration[0].categories[0].items[0].modifier_groups[0].modifier_items)).toEqual(
      posted.modifier_items,
    );
  });

  test('a menu without a name has no translations in the tree, and no name in the flat form', async () => {
    const store = await app.data.store();
    const { body } = await app.post(pathOf(store), { items: [], menus: [{ external_id: 'm', availability: [] }] });
    expect(body.menu_configuration[0].name).toEqual({ translations: {} });
    expect((await app.get(`${pathOf(store)}flat`)).body.menus[0]).not.toHaveProperty('name');
  });

  test('null means omitted', async () => {
    const store = await app.data.store();
    const [item] = fullBody().items;
    const body = { items: [{ ...item, description: null, in_stock: null, modifier_external_ids: null }], menus: null };
    expect((await app.post(pathOf(store), body)).status).toBe(200);
    const flat = await app.get(`${pathOf(store)}flat`);
    expect(flat.body.items[0]).toMatchObject({ in_stock: true, modifier_external_ids: [] });
    expect(flat.body.items[0]).not.toHaveProperty('description');
  });

  test('keys of translations such as __proto__ are data', async () => {
    const store = await app.data.store();
    const translations = '{"__proto__":"a","constructor":"b","en":"c"}';
    const body = `{"items":[{"external_id":"i","name":{"translations":${translations}},"price":1,"tax":1,"sell_separately":true}]}`;
    expect((await app.post(pathOf(store), body)).status).toBe(200);
    expect((await app.get(`${pathOf(store)}flat`)).text).toContain(`"translations":${translations}`);
  });

  test('errors of the domain are placed as the caller wrote them', async () => {
    const store = await app.data.store();
    const body = fullBody();
    body.categories[0]?.item_external_ids.push('gone');
    const answer = await app.post(pathOf(store), body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([
      { loc: ['body', 'categories', 0, 'item_external_ids', 2], type: 'reference_not_found' },
    ]);
    expect((await app.get(pathOf(store))).body).toEqual({ menu_configuration: [] });
  });

  test('errors of shape are all reported, each at its place', async () => {
    const store = await app.data.store();
    const answer = await app.post(pathOf(store), {
      items: [{ external_id: 1, name: { translations: { en: 5 } }, price: '1', tax: 1.5, sell_separately: 'yes' }, 7],
      menus: {},
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: [
        { loc: ['body', 'items', 0, 'external_id'], msg: 'Input should be a valid string', type: 'string_type' },
        {
          loc: ['body', 'items', 0, 'name', 'translations', 'en'],
          msg: 'Input should be a valid string',
          type: 'string_type',
        },
        { loc: ['body', 'items', 0, 'price'], msg: 'Input should be a valid integer', type: 'int_type' },
        {
          loc: ['body', 'items', 0, 'tax'],
          msg: 'Input should be a valid integer, got a number with a fractional part',
          type: 'int_from_float',
        },
        { loc: ['body', 'items', 0, 'sell_separately'], msg: 'Input should be a valid boolean', type: 'bool_type' },
        {
          loc: ['body', 'items', 1],
          msg: 'Input should be a valid dictionary or object to extract fields from',
          type: 'model_attributes_type',
        },
        { loc: ['body', 'menus'], msg: 'Input should be a valid list', type: 'list_type' },
      ],
    });
  });
});

describe('conditions', () => {
  const body = (text: string) => ({
    items: [{ external_id: 'i', name: { translations: { en: text } }, price: 1, tax: 0, sell_separately: true }],
  });

  test('a tag from any read or write of the configuration lets the next write through', async () => {
    const store = await app.data.store();
    const first = await app.post(pathOf(store), body('a'));
    const tagged = [first, await app.get(pathOf(store)), await app.get(`${pathOf(store)}flat`)];
    for (const { headers } of tagged) {
      const again = await app.post(pathOf(store), body('a'), { 'if-match': headers.get('etag') ?? '' });
      expect(again.status).toBe(200);
    }
  });

  test('a stale writer is refused and changes nothing', async () => {
    const store = await app.data.store();
    const first = await app.post(pathOf(store), body('a'));
    await app.post(pathOf(store), body('b'));
    const late = await app.post(pathOf(store), body('c'), { 'if-match': first.headers.get('etag') ?? '' });
    expect(late.status).toBe(412);
    expect(typeof late.body.detail).toBe('string');
    expect((await app.get(`${pathOf(store)}flat`)).body.items[0].name.translations.en).toBe('b');
  });

  test('* is no condition, and a tag of something else is refused', async () => {
    const store = await app.data.store();
    const orders = await app.get(`/v1/stores/${store.id}/orders/`);
    expect((await app.post(pathOf(store), body('a'), { 'if-match': '*' })).status).toBe(200);
    for (const tag of ['"1-00000000"', 'W/"1-00000000"', orders.headers.get('etag') ?? '']) {
      const answer = await app.post(pathOf(store), body('b'), { 'if-match': tag });
      expect(answer.status).toBe(412);
      expect(answer.body).toEqual({ detail: 'If-Match names no ETag that this resource has had.' });
    }
  });

  test('posting the same body again leaves the tag as it is', async () => {
    const store = await app.data.store();
    const first = await app.post(pathOf(store), body('a'));
    const second = await app.post(pathOf(store), body('a'));
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.body).toEqual(first.body);
  });
});
