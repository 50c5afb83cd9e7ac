import { describe, expect, test } from 'vitest';
import { demoDocuments, demoStores, expectAscending, find, idsOf, repeated, sum } from '../support/demo.ts';

const stores = demoStores();

describe.each(stores)('the menu of $id', ({ menu, name }) => {
  const { menus, categories, items, modifierGroups, modifierItems } = menu;

  test('has external ids that are unique within their kind', () => {
    for (const list of [menus, categories, items, modifierGroups, modifierItems]) {
      expect(repeated(idsOf(list))).toEqual([]);
    }
  });

  test('has valid references and no unreferenced entities', () => {
    const links = [
      { from: menus.map(({ categoryExternalIds }) => categoryExternalIds ?? []), to: categories },
      { from: categories.map(({ itemExternalIds }) => itemExternalIds ?? []), to: items },
      { from: items.map(({ modifierGroupExternalIds }) => modifierGroupExternalIds ?? []), to: modifierGroups },
      { from: modifierGroups.map(({ modifierItemExternalIds: ids }) => ids ?? []), to: modifierItems },
    ];
    for (const { from, to } of links) {
      expect(from.flatMap(repeated)).toEqual([]);
      expect(new Set(from.flat())).toEqual(new Set(idsOf(to)));
    }
    const standIns = modifierItems.flatMap(({ itemExternalId: id }) => id ?? []);
    expect(idsOf(items)).toEqual(expect.arrayContaining(standIns));
  });

  test('has every text in all languages of the store', () => {
    const languages = Object.keys(name.translations);
    expect(languages.length).toBeGreaterThanOrEqual(2);
    for (const text of textsIn(menu)) {
      expect(Object.keys(text)).toEqual(languages);
      for (const words of Object.values(text)) expect(words).toMatch(/^\S.*\S$/);
    }
  });

  test('has quantities and selection limits that can be satisfied', () => {
    for (const { minQuantity, defaultQuantity, maxQuantity } of modifierItems) {
      expectAscending([0, minQuantity, defaultQuantity, maxQuantity]);
    }
    for (const { groupMin, groupMax, chargeAfter, modifierItemExternalIds } of modifierGroups) {
      const members = modifierItems.filter(({ externalId }) => modifierItemExternalIds?.includes(externalId));
      const most = sum(members.map(({ inStock, maxQuantity }) => (inStock === false ? 0 : maxQuantity)));
      expectAscending([0, groupMin, Math.min(groupMax, most)]);
      expectAscending([0, sum(members.map(({ defaultQuantity }) => defaultQuantity)), groupMax]);
      expectAscending([0, chargeAfter, groupMax]);
    }
  });

  test('has a tax that is an amount below a quarter of the price', () => {
    const changes = modifierItems.map(({ priceChange: price, taxChange: tax }) => ({ price, tax }));
    for (const { price, tax } of [...items, ...changes].filter(({ price }) => price !== 0)) {
      expect(tax / price).toBeGreaterThan(0);
      expect(tax / price).toBeLessThan(0.25);
    }
  });

  test('has dietary labels that agree with the allergens', () => {
    const animal = ['milk', 'eggs', 'fish', 'crustaceans', 'molluscs'];
    const plants = ['gluten', 'soy', 'nuts', 'peanuts', 'sesame', 'celery', 'mustard', 'sulphites'];
    const excluded: Record<string, readonly string[]> = {
      VEGAN: animal,
      VEGETARIAN: animal.slice(2),
      GLUTEN_FREE: ['gluten'],
    };
    for (const { allergensText: allergens, dietaryLabels } of items) {
      const contained = allergens?.split(', ') ?? [];
      const labels = dietaryLabels ?? [];
      expect([...animal, ...plants]).toEqual(expect.arrayContaining(contained));
      expect(labels.flatMap(label => excluded[label] ?? [label]).filter(word => contained.includes(word))).toEqual([]);
      if (labels.includes('VEGAN')) expect(labels).toContain('VEGETARIAN');
    }
  });

  test('has valid times of availability, each day once', () => {
    for (const { availability } of menus) {
      expect(repeated(availability.map(({ dayOfWeek }) => dayOfWeek))).toEqual([]);
      for (const { dayOfWeek, timePeriods } of availability) {
        expect(dayOfWeek).toMatch(/^(MON|TUE|WED|THU|FRI|SAT|SUN)$/);
        for (const period of timePeriods) {
          for (const time of Object.values(period)) expect(time).toMatch(/^([01]\d|2[0-3]):[0-5]\d$/);
        }
      }
    }
  });

  test('has an item that is out of stock, one that is not sold separately, and drinks with alcohol', () => {
    expect(items.some(({ inStock }) => inStock === false)).toBe(true);
    expect(items.some(({ sellSeparately }) => !sellSeparately)).toBe(true);
    expect(items.some(({ alcoholByVolume }) => alcoholByVolume && alcoholByVolume > 0 && alcoholByVolume < 100)).toBe(
      true,
    );
    const complete = { description: {}, ingredients: expect.any(String), preparationMinutes: expect.any(Number) };
    for (const item of items) expect(item).toMatchObject(complete);
  });
});

describe('the demo restaurants', () => {
  test('belong to a merchant with stores in several timezones, and to one with a single store', () => {
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

  test('have one long menu and some of medium length', () => {
    const [flagship = 0, ...others] = stores.map(({ menu }) => menu.items.length);
    expectAscending([60, flagship, 80]);
    for (const length of others) expectAscending([25, length, 50]);
  });

  test('have menus for breakfast, lunch, dinner and past midnight, with modifier groups that items share', () => {
    const { menu } = find(stores, ({ id }) => id === 'lisbon-baixa');
    expect(idsOf(menu.menus)).toEqual(expect.arrayContaining(['breakfast', 'lunch', 'dinner', 'night']));
    const { availability } = find(menu.menus, ({ externalId }) => externalId === 'night');
    expect(availability[0]?.timePeriods).toEqual([{ startTime: '22:00', endTime: '02:00' }]);
    const offered = menu.items.flatMap(({ modifierGroupExternalIds }) => modifierGroupExternalIds ?? []);
    for (const group of ['milk', 'coffee-size', 'sides', 'spice']) {
      expect(offered.filter(id => id === group).length).toBeGreaterThan(2);
    }
    const standIns = menu.modifierItems.map(({ itemExternalId: id }) => id);
    expect(standIns).toContain('pastel-de-nata');
  });
});

/** Collects the translations at any depth. */
function textsIn(value: unknown): Record<string, string>[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'translations' ? [inner] : textsIn(inner)));
}
