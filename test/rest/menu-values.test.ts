import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const name = { translations: { en: 'Text' } };
const largest = Number.MAX_SAFE_INTEGER;

/** A minimal entity of each kind. */
const minimal = {
  items: { external_id: 'item', name, price: 100, tax: 10, sell_separately: true },
  menus: { external_id: 'menu', availability: [] },
  categories: { external_id: 'category', name },
  modifier_groups: { external_id: 'group', type: 'CHOICE', name, group_max: 1, group_min: 0, charge_after: 0 },
  modifier_items: {
    external_id: 'modifier',
    name,
    price_change: 0,
    tax_change: 0,
    min_quantity: 0,
    max_quantity: 1,
    default_quantity: 0,
  },
};
type Kind = keyof typeof minimal;

/** A body with one entity, of this kind and with these fields. */
const bodyOf = (kind: Kind, fields: object) => ({ items: [], [kind]: [{ ...minimal[kind], ...fields }] });

/** Posts one entity; returns it as in the flat form, with the codes of its diagnostics. */
async function post(kind: Kind, fields: object) {
  const store = await app.data.store();
  const path = `/v1/stores/${store.id}/menu_configuration/`;
  const { status, body } = await app.post(path, bodyOf(kind, fields));
  if (status !== 200) return { status, detail: body.detail };
  const flat = await app.get(`${path}flat`);
  const response = await app.graphql('query ($id: ID!) { store(id: $id) { menuDiagnostics { code } } }', {
    id: store.id,
  });
  const codes = response.body.data.store.menuDiagnostics.map(({ code }: { code: string }) => code);
  return { status, tree: body.menu_configuration, entity: flat.body[kind][0], codes };
}

const window = (day: string, start: string, end: string) => ({
  availability: [{ day_of_week: day, time_periods: [{ start_time: start, end_time: end }] }],
});

/** Fields that are returned as posted, with the diagnostics that they cause. */
const accepted: readonly { decision: string; kind: Kind; fields: object; codes?: readonly string[] }[] = [
  { decision: 'Amounts', kind: 'items', fields: { price: -largest, tax: -1 }, codes: ['NEGATIVE_PRICE'] },
  { decision: 'Amounts', kind: 'items', fields: { price: largest, tax: 0 } },
  { decision: 'Amounts', kind: 'modifier_items', fields: { price_change: -50, tax_change: -5 } },
  { decision: 'Other integers', kind: 'modifier_groups', fields: { charge_after: -largest, group_max: largest } },
  { decision: 'Taxes', kind: 'items', fields: { price: 100, tax: 101 }, codes: ['TAX_ABOVE_PRICE'] },
  { decision: 'day_of_week', kind: 'menus', fields: window('lundi', '08:00', '09:00'), codes: ['UNKNOWN_DAY'] },
  { decision: 'Times of a window', kind: 'menus', fields: window('MON', '8am', '9pm'), codes: ['UNKNOWN_TIME'] },
  {
    decision: 'Days that are not listed',
    kind: 'menus',
    fields: { availability: [] },
    codes: ['MENU_NEVER_AVAILABLE'],
  },
  { decision: 'Type of a modifier group', kind: 'modifier_groups', fields: { type: '' } },
  { decision: 'Type of a modifier group', kind: 'modifier_groups', fields: { type: 'Größe 大' } },
  {
    decision: 'group_min, group_max',
    kind: 'modifier_groups',
    fields: { group_min: 2, group_max: 1 },
    codes: ['GROUP_MAX_BELOW_MIN'],
  },
  {
    decision: 'group_min, group_max',
    kind: 'modifier_groups',
    fields: { group_min: -1, group_max: 1 },
    codes: ['NEGATIVE_QUANTITY'],
  },
  { decision: 'charge_after', kind: 'modifier_groups', fields: { charge_after: 3 } },
  {
    decision: 'min_quantity, default_quantity, max_quantity',
    kind: 'modifier_items',
    fields: { min_quantity: 3, max_quantity: 1 },
    codes: ['MODIFIER_MAX_BELOW_MIN'],
  },
  {
    decision: 'min_quantity, default_quantity, max_quantity',
    kind: 'modifier_items',
    fields: { default_quantity: 5 },
    codes: ['DEFAULT_OUT_OF_RANGE'],
  },
  { decision: 'prep_time', kind: 'items', fields: { prep_time: -5 }, codes: ['ODD_PREP_TIME'] },
  {
    decision: 'alcohol_by_volume',
    kind: 'items',
    fields: { alcohol_by_volume: 1e300 },
    codes: ['ALCOHOL_OUT_OF_RANGE'],
  },
  { decision: 'alcohol_by_volume', kind: 'items', fields: { alcohol_by_volume: 4.75 } },
  { decision: 'external_id', kind: 'items', fields: { external_id: ' É 東\t' } },
  { decision: 'external_id', kind: 'items', fields: { external_id: '🍕'.repeat(255) } },
  { decision: 'Translations', kind: 'items', fields: { name: { translations: {} } }, codes: ['MISSING_NAME'] },
  { decision: 'Translations', kind: 'items', fields: { name: { translations: { es_es: '', 'any key': 'x' } } } },
];

describe('values of the declared shape are returned as posted', () => {
  test.each(accepted)('$decision: $fields', async ({ kind, fields, codes = [] }) => {
    const { status, entity, codes: found } = await post(kind, fields);
    expect(status).toBe(200);
    expect(entity).toMatchObject(fields);
    expect(found).toEqual(expect.arrayContaining([...codes]));
  });
});

const tooLarge = { type: 'less_than_equal', msg: `Input should be less than or equal to ${largest}` };

const rejected: readonly { decision: string; kind: Kind; fields: object; loc: readonly string[]; error: object }[] = [
  { decision: 'Amounts', kind: 'items', fields: { price: largest + 1 }, loc: ['price'], error: tooLarge },
  { decision: 'Other integers', kind: 'items', fields: { prep_time: 2 ** 60 }, loc: ['prep_time'], error: tooLarge },
  {
    decision: 'external_id',
    kind: 'items',
    fields: { external_id: '' },
    loc: ['external_id'],
    error: { type: 'string_too_short', msg: 'String should have at least 1 character' },
  },
  {
    decision: 'external_id',
    kind: 'items',
    fields: { external_id: '🍕'.repeat(256) },
    loc: ['external_id'],
    error: { type: 'string_too_long', msg: 'String should have at most 255 characters' },
  },
  {
    decision: 'Unsupported characters',
    kind: 'items',
    fields: { allergens: 'a\0' },
    loc: ['allergens'],
    error: { type: 'value_error', msg: 'Value error, the character U+0000 is not allowed' },
  },
  {
    decision: 'Unsupported characters',
    kind: 'items',
    fields: { name: { translations: { en: '\ud800' } } },
    loc: ['name', 'translations', 'en'],
    error: { type: 'value_error', msg: 'Value error, a lone surrogate is not a character' },
  },
];

describe('values that cannot be stored are 422', () => {
  test.each(rejected)('$decision: $error.type at $loc', async ({ kind, fields, loc, error }) => {
    expect(await post(kind, fields)).toEqual({ status: 422, detail: [{ loc: ['body', kind, 0, ...loc], ...error }] });
  });

  test('a number that is not finite is 422', async () => {
    const store = await app.data.store();
    const body = JSON.stringify(bodyOf('items', { alcohol_by_volume: 0.125 })).replace('0.125', '1e999');
    const response = await app.post(`/v1/stores/${store.id}/menu_configuration/`, body);
    const msg = 'Input should be a finite number';
    expect(response.body.detail).toEqual([
      { loc: ['body', 'items', 0, 'alcohol_by_volume'], msg, type: 'finite_number' },
    ]);
  });
});

test('Windows of a day are up to 100, on up to 1000 days', async () => {
  const period = { start_time: '09:00', end_time: '10:00' };
  const on = (count: number) => ({ day_of_week: 'MON', time_periods: Array(count).fill(period) });
  const rejectedWith = async (availability: object[]) => (await post('menus', { availability })).detail;
  expect(await rejectedWith([on(60), on(40)])).toBeUndefined();
  expect(await rejectedWith([on(60), on(41)])).toMatchObject([{ type: 'too_long' }]);
  expect(await rejectedWith(Array(1000).fill(on(0)))).toBeUndefined();
  expect(await rejectedWith(Array(1001).fill(on(0)))).toMatchObject([{ type: 'too_long' }]);
});

describe('Unsupported characters of a URL', () => {
  test('U+0000 is 422, in a path and in a query string', async () => {
    const store = await app.data.store();
    const error = { msg: 'Value error, the character U+0000 is not allowed', type: 'value_error' };
    const { body } = await app.get('/v1/stores/a%00b');
    expect(body.detail).toEqual([{ loc: ['path', 'store_service_id'], ...error }]);
    const filtered = await app.get(`/v1/stores/${store.id}/orders/?customer_name=%00`);
    expect(filtered.body.detail).toEqual([{ loc: ['query', 'customer_name'], ...error }]);
  });

  test('bytes that are not UTF-8 stand for U+FFFD: 404 in a path, nothing found in a query string', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 2);
    for (const bytes of ['%ED%A0%80', '%FF']) {
      expect((await app.get(`/v1/stores/${bytes}`)).status).toBe(404);
      const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?customer_name=${bytes}`);
      expect([status, body.count]).toEqual([200, 0]);
    }
  });
});

describe('in_stock', () => {
  test.each([
    [{}, true],
    [{ in_stock: null }, true],
    [{ in_stock: false }, false],
  ])('%j is returned as %j', async (fields, expected) => {
    expect((await post('items', fields)).entity.in_stock).toBe(expected);
    expect((await post('modifier_items', fields)).entity.in_stock).toBe(expected);
  });
});

describe('Optional fields', () => {
  test('without a value or with null they are omitted', async () => {
    const nulls = { description: null, ingredients: null, allergens: null, dietary_labels: null, prep_time: null };
    for (const fields of [{}, nulls]) {
      const { entity } = await post('items', fields);
      expect(Object.keys(entity)).toEqual([
        ...Object.keys(minimal.items),
        ...['id', 'in_stock', 'modifier_external_ids'],
      ]);
    }
  });

  test('an empty string and an empty list are values', async () => {
    expect((await post('items', { ingredients: '', dietary_labels: [] })).entity).toMatchObject({
      ingredients: '',
      dietary_labels: [],
    });
  });
});

describe('Name of a menu', () => {
  test('without one the tree has empty translations, and the flat form no name', async () => {
    const { tree, entity } = await post('menus', {});
    expect(tree[0].name).toEqual({ translations: {} });
    expect(entity).not.toHaveProperty('name');
  });
});
