import { describe, expect, test } from 'vitest';
import { demoDocuments, demoStores, expectAscending, find, idsOf, repeated, sum } from '../support/demo.ts';

const stores = demoStores();

describe.each(stores)('the menu of $id', ({ menu, name }) => {
  const { menus, categories, items, modifier_groups: groups, modifier_items: modifiers } = menu;

  test('has external ids that are unique within their kind', () => {
    for (const kind of [menus, categories, items, groups, modifiers]) expect(repeated(idsOf(kind))).toEqual([]);
  });

  test('refers to what there is, and leaves nothing unused', () => {
    const links = [
      { from: menus.map(({ category_external_ids: ids = [] }) => ids), to: categories },
      { from: categories.map(({ item_external_ids: ids = [] }) => ids), to: items },
      { from: items.map(({ modifier_external_ids: ids = [] }) => ids), to: groups },
      { from: groups.map(({ modifier_item_external_ids: ids = [] }) => ids), to: modifiers },
    ];
    for (const { from, to } of links) {
      expect(from.flatMap(repeated)).toEqual([]);
      expect(new Set(from.flat())).toEqual(new Set(idsOf(to)));
    }
    const standIns = modifiers.flatMap(({ menu_item_external_id: id }) => id ?? []);
    expect(idsOf(items)).toEqual(expect.arrayContaining(standIns));
  });

  test('says everything in every language of the store', () => {
    const languages = Object.keys(name.translations);
    expect(languages.length).toBeGreaterThanOrEqual(2);
    for (const text of textsIn(menu)) {
      expect(Object.keys(text)).toEqual(languages);
      for (const words of Object.values(text)) expect(words).toMatch(/^\S.*\S$/);
    }
  });

  test('has quantities that can be chosen', () => {
    for (const { min_quantity: min, default_quantity: usual, max_quantity: max } of modifiers) {
      expectAscending([0, min, usual, max]);
    }
    for (const { group_min: min, group_max: max, charge_after: free, modifier_item_external_ids: ids = [] } of groups) {
      const members = modifiers.filter(({ external_id: id }) => ids.includes(id));
      const most = sum(members.map(({ in_stock, max_quantity }) => (in_stock === false ? 0 : max_quantity)));
      expectAscending([0, min, Math.min(max, most)]);
      expectAscending([0, sum(members.map(({ default_quantity }) => default_quantity)), max]);
      expectAscending([0, free, max]);
    }
  });

  test('has a tax that is an amount below a quarter of the price', () => {
    const changes = modifiers.map(({ price_change: price, tax_change: tax }) => ({ price, tax }));
    for (const { price, tax } of [...items, ...changes].filter(({ price }) => price !== 0)) {
      expect(tax / price).toBeGreaterThan(0);
      expect(tax / price).toBeLessThan(0.25);
    }
  });

  test('has labels that agree with the allergens', () => {
    const animal = ['milk', 'eggs', 'fish', 'crustaceans', 'molluscs'];
    const plants = ['gluten', 'soy', 'nuts', 'peanuts', 'sesame', 'celery', 'mustard', 'sulphites'];
    const excluded: Record<string, readonly string[]> = {
      VEGAN: animal,
      VEGETARIAN: animal.slice(2),
      GLUTEN_FREE: ['gluten'],
    };
    for (const { allergens, dietary_labels: labels = [] } of items) {
      const contained = allergens?.split(', ') ?? [];
      expect([...animal, ...plants]).toEqual(expect.arrayContaining(contained));
      expect(labels.flatMap(label => excluded[label] ?? [label]).filter(word => contained.includes(word))).toEqual([]);
      if (labels.includes('VEGAN')) expect(labels).toContain('VEGETARIAN');
    }
  });

  test('is open at understandable times, each day once', () => {
    for (const { availability } of menus) {
      expect(repeated(availability.map(({ day_of_week: day }) => day))).toEqual([]);
      for (const { day_of_week: day, time_periods: periods } of availability) {
        expect(day).toMatch(/^(MON|TUE|WED|THU|FRI|SAT|SUN)$/);
        for (const period of periods) {
          for (const time of Object.values(period)) expect(time).toMatch(/^([01]\d|2[0-3]):[0-5]\d$/);
        }
      }
    }
  });

  test('has an item that is out of stock, one that is not sold separately, and drinks with alcohol', () => {
    expect(items.some(({ in_stock }) => in_stock === false)).toBe(true);
    expect(items.some(({ sell_separately }) => !sell_separately)).toBe(true);
    expect(items.some(({ alcohol_by_volume: abv = 0 }) => abv > 0 && abv < 100)).toBe(true);
    const whole = { description: {}, ingredients: expect.any(String), prep_time: expect.any(Number) };
    for (const item of items) expect(item).toMatchObject(whole);
  });
});

describe('the demo restaurants', () => {
  test('belong to a group with stores in several timezones, and to one other merchant', () => {
    const merchants: { id: string }[] = demoDocuments('merchants.ndjson');
    const byMerchant = Map.groupBy(stores, ({ merchant }) => merchant.id);
    expect([...byMerchant.keys()].toSorted()).toEqual(merchants.map(({ id }) => id).toSorted());
    expect([...byMerchant.values()].map(({ length }) => length)).toEqual([3, 1]);
    expect(repeated(stores.map(({ timezone }) => timezone))).toEqual([]);
  });

  test('use every documented field of a store', () => {
    const documented = `id name created_at external_id store_phone contacts address_line_1 address_line_2 address_line_3
      timezone city postal_code country location_name admin_area phone_numbers merchant store_type restaurant_configuration`;
    expect(new Set(demoDocuments('stores.ndjson').flatMap(store => Object.keys(store)))).toEqual(
      new Set(documented.split(/\s+/)),
    );
  });

  test('have one long menu and some of middle length', () => {
    const [flagship = 0, ...others] = stores.map(({ menu }) => menu.items.length);
    expectAscending([60, flagship, 80]);
    for (const length of others) expectAscending([25, length, 50]);
  });

  test('serve breakfast, lunch, dinner and past midnight, with choices that many items share', () => {
    const { menu } = find(stores, ({ id }) => id === 'lisbon-baixa');
    expect(idsOf(menu.menus)).toEqual(expect.arrayContaining(['breakfast', 'lunch', 'dinner', 'night']));
    const { availability } = find(menu.menus, ({ external_id: id }) => id === 'night');
    expect(availability[0]?.time_periods).toEqual([{ start_time: '22:00', end_time: '02:00' }]);
    const offered = menu.items.flatMap(({ modifier_external_ids: ids = [] }) => ids);
    for (const group of ['milk', 'coffee-size', 'sides', 'spice']) {
      expect(offered.filter(id => id === group).length).toBeGreaterThan(2);
    }
    const standIns = menu.modifier_items.map(({ menu_item_external_id: id }) => id);
    expect(standIns).toContain('pastel-de-nata');
  });
});

/** Every map of translations at any depth. */
function textsIn(value: unknown): Record<string, string>[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'translations' ? [inner] : textsIn(inner)));
}
