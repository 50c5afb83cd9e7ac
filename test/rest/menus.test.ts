import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';

const app = await sharedApp();
const pathOf = (store: { readonly id: string }) => `/v1/stores/${store.id}/menu_configuration/`;

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
const withoutIds = (value: any): any =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'id' ? undefined : inner)));

describe('POST /v1/stores/{store_service_id}/menu_configuration/', () => {
  test('a posted configuration is returned, nested and flat', async () => {
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

  test('the loc of a domain error uses the names of the request', async () => {
    const store = await app.data.store();
    const body = fullBody();
    body.categories[0]?.item_external_ids.push('gone');
    const response = await app.post(pathOf(store), body);
    expect(response.status).toBe(422);
    expect(response.body.detail).toMatchObject([
      { loc: ['body', 'categories', 0, 'item_external_ids', 2], type: 'reference_not_found' },
    ]);
    expect((await app.get(pathOf(store))).body).toEqual({ menu_configuration: [] });
  });

  test('all errors of shape are reported, each with its loc', async () => {
    const store = await app.data.store();
    const response = await app.post(pathOf(store), {
      items: [{ external_id: 1, name: { translations: { en: 5 } }, price: '1', tax: 1.5, sell_separately: 'yes' }, 7],
      menus: {},
    });
    expect(response.status).toBe(422);
    expect(response.body).toEqual({
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
