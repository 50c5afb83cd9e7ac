import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();
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
    { ...item, price: true, description: { translations: { en: 1, pt: null } }, in_stock: 0, ingredients: [] },
    { ...item, allergens: {}, dietary_labels: ['VEGAN', 'HALAL'], prep_time: 2 ** 53, alcohol_by_volume: '5' },
    { ...item, modifier_external_ids: 'g', name: { translations: ['x'] } },
    'no item',
    {},
  ],
  menus: [
    { external_id: 'm', availability: [{ time_periods: [{ start_time: 9 }] }, 7], category_external_ids: [null] },
  ],
  categories: {},
  modifier_groups: [{ ...group, type: null, group_max: -(2 ** 53) }],
  modifier_items: [{ ...modifier, ...quantities, menu_item_external_id: 1, name: 'a\0b' }],
};

test('a body with 32 different faults gives 32 entries, each at its place', async () => {
  const { status, body: answer } = await app.post(path, body);
  expect(status).toBe(422);
  const found = answer.detail.map(
    ({ loc, type }: { loc: (string | number)[]; type: string }) => `${loc.join('.')} ${type}`,
  );
  expect(found).toEqual([
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

test('1,500 faults give 1,000 entries', async () => {
  const { body: answer } = await app.post(path, { items: Array.from({ length: 300 }, () => ({})) });
  expect(answer.detail).toHaveLength(1000);
});
