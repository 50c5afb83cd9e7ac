import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const store = await app.data.store();
const path = `/v1/stores/${store.id}/menu_configuration/`;

const text = { translations: { en: 'x' } };
const item = { external_id: 'i', name: text, price: 1, tax: 0, sell_separately: true };
const group = { external_id: 'g', type: 'T', name: text, group_max: 1, group_min: 0, charge_after: 0 };
const modifier = { external_id: 'm', name: text, price_change: 0, tax_change: 0 };
const quantities = { min_quantity: 0, max_quantity: 1, default_quantity: 0 };

const body = {
  items: [
    { ...item, external_id: 1, name: 'x', price: '1', tax: 1.5, sell_separately: 'yes' },
    {
      ...item,
      external_id: 'i1',
      price: true,
      description: { translations: { en: 1, pt: null } },
      in_stock: 0,
      ingredients: [],
    },
    {
      ...item,
      external_id: 'i2',
      allergens: {},
      dietary_labels: ['VEGAN', 'HALAL'],
      prep_time: 2 ** 53,
      alcohol_by_volume: '5',
    },
    { ...item, external_id: 'i3', modifier_external_ids: 'g', name: { translations: ['x'] } },
    'not an item',
    {},
  ],
  menus: [
    { external_id: 'm', availability: [{ time_periods: [{ start_time: 9 }] }, 7], category_external_ids: [null] },
  ],
  categories: {},
  modifier_groups: [{ ...group, type: null, group_max: -(2 ** 53) }],
  modifier_items: [{ ...modifier, ...quantities, menu_item_external_id: 1, name: 'a\0b' }],
};

/** The loc and type of every error in a body. */
async function errorsIn(posted: object): Promise<string[]> {
  const { status, body: response } = await app.post(path, posted);
  expect(status).toBe(422);
  return response.detail.map(({ loc, type }: { loc: (string | number)[]; type: string }) => `${loc.join('.')} ${type}`);
}

test('a body with 32 different errors has 32 entries, each with its loc', async () => {
  expect(await errorsIn(body)).toEqual([
    'body.items.0.external_id string_type',
    'body.items.0.name model_attributes_type',
    'body.items.0.price int_type',
    'body.items.0.tax int_from_float',
    'body.items.0.sell_separately bool_type',
    'body.items.1.price int_type',
    'body.items.1.description.translations.en string_type',
    'body.items.1.description.translations.pt string_type',
    'body.items.1.in_stock bool_type',
    'body.items.1.ingredients string_type',
    'body.items.2.allergens string_type',
    'body.items.2.dietary_labels.1 enum',
    'body.items.2.prep_time less_than_equal',
    'body.items.2.alcohol_by_volume float_type',
    'body.items.3.name.translations dict_type',
    'body.items.3.modifier_external_ids list_type',
    'body.items.4 model_attributes_type',
    'body.items.5.external_id missing',
    'body.items.5.name missing',
    'body.items.5.price missing',
    'body.items.5.tax missing',
    'body.items.5.sell_separately missing',
    'body.menus.0.availability.0.day_of_week missing',
    'body.menus.0.availability.0.time_periods.0.start_time string_type',
    'body.menus.0.availability.0.time_periods.0.end_time missing',
    'body.menus.0.availability.1 model_attributes_type',
    'body.menus.0.category_external_ids.0 string_type',
    'body.categories list_type',
    'body.modifier_groups.0.type string_type',
    'body.modifier_groups.0.group_max greater_than_equal',
    'body.modifier_items.0.name model_attributes_type',
    'body.modifier_items.0.menu_item_external_id string_type',
  ]);
});

describe('errors of shape and errors of references', () => {
  const category = { external_id: 'c', name: text, item_external_ids: ['i', 'nowhere', 'i'] };
  const menu = { external_id: 'm', availability: [], category_external_ids: ['c', 'lost'] };
  const choice = { ...modifier, ...quantities, menu_item_external_id: 'gone' };

  test('are reported together', async () => {
    const posted = {
      items: [
        { ...item, price: '1' },
        { ...item, modifier_external_ids: ['g', 'no group'], name: { translations: { en: 'a\0b' } } },
      ],
      menus: [menu, { ...menu, external_id: '' }, 7],
      categories: [category],
      modifier_groups: [{ ...group, group_max: true, modifier_item_external_ids: ['m'] }],
      modifier_items: [choice],
    };
    expect(await errorsIn(posted)).toEqual([
      'body.items.0.price int_type',
      'body.items.1.name.translations.en value_error',
      'body.menus.2 model_attributes_type',
      'body.modifier_groups.0.group_max int_type',
      'body.menus.1.external_id string_too_short',
      'body.items.1.external_id duplicate_external_id',
      'body.menus.0.category_external_ids.1 reference_not_found',
      'body.menus.1.category_external_ids.1 reference_not_found',
      'body.categories.0.item_external_ids.1 reference_not_found',
      'body.categories.0.item_external_ids.2 duplicate_reference',
      'body.items.1.modifier_external_ids.1 reference_not_found',
      'body.modifier_items.0.menu_item_external_id reference_not_found',
    ]);
  });

  test('a reference may refer to an entity that could not be read', async () => {
    const posted = { items: [{ ...item, external_id: 1 }], categories: [category], modifier_items: [choice] };
    expect(await errorsIn({ ...posted, menus: [menu] })).toEqual([
      'body.items.0.external_id string_type',
      'body.menus.0.category_external_ids.1 reference_not_found',
      'body.categories.0.item_external_ids.2 duplicate_reference',
    ]);
    expect(await errorsIn({ items: [item], categories: {}, menus: [menu] })).toEqual(['body.categories list_type']);
    expect(await errorsIn({ categories: [category] })).toEqual([
      'body.items missing',
      'body.categories.0.item_external_ids.2 duplicate_reference',
    ]);
  });

  test('a reference to an omitted list is an error', async () => {
    expect(await errorsIn({ items: [{ ...item, tax: null }], menus: [menu] })).toEqual([
      'body.items.0.tax int_type',
      'body.menus.0.category_external_ids.0 reference_not_found',
      'body.menus.0.category_external_ids.1 reference_not_found',
    ]);
  });
});

test('1,500 errors have 1,000 entries', async () => {
  const { body: response } = await app.post(path, { items: Array.from({ length: 300 }, () => ({})) });
  expect(response.detail).toHaveLength(1000);
});
