import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { deviations } from '../support/closed.ts';
import { routes } from '../support/interface.ts';
import { fullBody } from '../support/menu-body.ts';

const app = await sharedApp();

const merchant = await app.data.merchant({ businessType: { name: 'RESTAURANT' } });
const store = await app.data.store({
  merchant: merchant.id,
  externalId: 'baixa',
  phone: '+351 210 000 000',
  contacts: { manager: { name: 'Rui', deputy: null } },
  addressLine1: 'Rua Augusta 1',
  addressLine2: 'Loja A',
  addressLine3: 'Baixa',
  timezone: 'Europe/Lisbon',
  city: 'Lisboa',
  postalCode: '1100-048',
  country: 'PT',
  locationName: 'Baixa',
  adminArea: 'Lisboa',
  phoneNumbers: [{ id: 'phone', phoneNumber: '+351 1', createDateTime: '2026-01-03T00:00:00.000Z' }],
  storeType: { content: 'Café', businessType: { name: 'RESTAURANT' } },
  restaurantConfiguration: { cuisineType: { name: 'PORTUGUESE' } },
});
const bare = await app.data.store({ merchant: null });
const [order] = await app.data.orders(store, 2, {
  customerComments: 'No sugar',
  completedAt: new Date('2026-03-01T14:00:00Z'),
  items: [{ name: 'Nata', note: null, parts: [{ size: null }, []], price: 1.5 }],
});
await app.data.orders(bare, 1);
const post = await app.post(`/v1/stores/${store.id}/menu_configuration/`, fullBody());

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const { body: document } = await app.get('/openapi.json');
// Fields that are not described are errors.
ajv.addSchema(
  JSON.parse(JSON.stringify(document), (_key, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  ),
  'openapi',
);

/** Deviations of a body from its schema in /openapi.json. */
function undescribed(body: unknown, method: string, path: string): unknown {
  const pointer = path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const schema = `openapi#/paths/${pointer}/${method}/responses/200/content/application~1json/schema`;
  ajv.validate({ $ref: schema }, body);
  return ajv.errors ?? [];
}

describe('every route returns the documented shape and nothing else', () => {
  test.each(routes.filter(({ method }) => method === 'GET'))('$method $path', async ({ path, body }) => {
    for (const storeId of [store.id, bare.id]) {
      const address = path
        .replace('{store_service_id}', storeId)
        .replace('{order_service_id}', order?.id ?? '')
        .replace('{merchant_service_id}', merchant.id);
      const response = await app.get(address);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(deviations(response.body, body)).toEqual([]);
      expect(undescribed(response.body, 'get', path)).toEqual([]);
    }
  });

  test('POST /v1/stores/{store_service_id}/menu_configuration/', async () => {
    expect(post.status).toBe(200);
    expect(deviations(post.body, 'CreateMenuConfigurationResponse')).toEqual([]);
    expect(undescribed(post.body, 'post', '/v1/stores/{store_service_id}/menu_configuration/')).toEqual([]);
    const minimal = { items: [], menus: [{ external_id: 'm', availability: [] }] };
    const response = await app.post(`/v1/stores/${bare.id}/menu_configuration/`, minimal);
    expect(deviations(response.body, 'CreateMenuConfigurationResponse')).toEqual([]);
  });
});

test('a body that /openapi.json does not describe is detected', () => {
  expect(undescribed([{ id: 1, colour: 'red' }], 'get', '/v1/stores/')).toMatchObject([
    { keyword: 'required' },
    { keyword: 'additionalProperties' },
    { keyword: 'type' },
  ]);
});

test('optional fields without a value are omitted', async () => {
  const response = await app.get(`/v1/stores/${bare.id}`);
  expect(Object.keys(response.body)).toEqual(['id', 'name', 'created_at']);
});

test('fields are in the documented order', async () => {
  const single = await app.get(`/v1/orders/${order?.id}`);
  expect(Object.keys(single.body).slice(-2)).toEqual(['result_code', 'result_message']);
  const list = await app.get(`/v1/stores/${store.id}/orders/`);
  expect(Object.keys(list.body)).toEqual([
    'page_index',
    'page_size',
    'count',
    'result_code',
    'result_message',
    'order_result_list',
  ]);
});

test('a store has every documented field', async () => {
  const { body } = await app.get(`/v1/stores/${store.id}`);
  expect(body).toEqual({
    id: store.id,
    name: { translations: { en: 'Baixa' } },
    created_at: '2026-01-02T00:00:00.000Z',
    external_id: 'baixa',
    store_phone: '+351 210 000 000',
    contacts: { manager: { name: 'Rui', deputy: null } },
    address_line_1: 'Rua Augusta 1',
    address_line_2: 'Loja A',
    address_line_3: 'Baixa',
    timezone: 'Europe/Lisbon',
    city: 'Lisboa',
    postal_code: '1100-048',
    country: 'PT',
    location_name: 'Baixa',
    admin_area: 'Lisboa',
    phone_numbers: [{ id: 'phone', phone_number: '+351 1', create_date_time: '2026-01-03T00:00:00.000Z' }],
    merchant: {
      created_at: '2026-01-01T00:00:00.000Z',
      id: merchant.id,
      brand_name: 'Casa Verde',
      business_type: { name: 'RESTAURANT' },
    },
    store_type: { content: 'Café', business_type: { name: 'RESTAURANT' } },
    restaurant_configuration: { cuisine_type: { name: 'PORTUGUESE' } },
  });
});
