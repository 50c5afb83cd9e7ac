import { describe, expect, test } from 'vitest';
import { createDescriber } from '../../../src/menu/history/describe.ts';
import type { ConfigurationInput } from '../../../src/menu/kinds.ts';
import {
  category,
  cleanMenu,
  item,
  menu,
  on,
  plain,
  text,
  withItem,
  withLarge,
  withMenu,
} from '../diagnostics/menu-builder.ts';
import { compareAtOnce, configurationOf } from './configurations.ts';

/** The changes as text, each with its place, e.g. `CHANGED Lunch/Soups/Caldo verde: price €4.50 → €5.00`. */
function changes(from: ConfigurationInput, to: ConfigurationInput, currency: string | null = 'EUR'): string[] {
  const [before, after] = [configurationOf(from), configurationOf(to)];
  const { describe } = createDescriber({ before, after, currency });
  return compareAtOnce(before, after).entities.map(entity => {
    const { fields, facts } = describe(entity);
    const place = [...entity.path, entity].map(({ name, externalId }) => name?.translations.en ?? externalId).join('/');
    const details = [...fields.map(({ label, ...values }) => `${label} ${values.before} → ${values.after}`), ...facts];
    return `${entity.change} ${place}: ${details.join('; ')}`;
  });
}

/** One menu with two categories of these items. */
function twoCategories(soups: readonly string[], mains: readonly string[]): ConfigurationInput {
  return {
    menus: [menu({ categoryExternalIds: ['soups', 'mains'] })],
    categories: [
      category({ externalId: 'soups', itemExternalIds: soups }),
      category({ externalId: 'mains', name: text('Mains'), itemExternalIds: mains }),
    ],
    items: [...new Set([...soups, ...mains])].sort().map(id => plain({ externalId: id, name: text(`Dish ${id}`) })),
  };
}

const dishes = Array.from({ length: 400 }, (_, index) => `d${index}`);

describe('the changes between two menus', () => {
  test('have amounts in the currency of the store, and texts by language', () => {
    const to = withItem({
      price: 500,
      name: text('Caldo verde', { ja: 'カルド・ヴェルデ' }),
      preparationMinutes: 5,
      modifierGroupExternalIds: [],
    });
    expect(changes(cleanMenu(), to)).toEqual([
      'CHANGED Lunch/Soups/Caldo verde: name (ja) null → カルド・ヴェルデ; price €4.50 → €5.00; preparation time (minutes) null → 5',
      'CHANGED Lunch/Soups/Caldo verde/Size: removed from Caldo verde',
    ]);
    expect(changes(cleanMenu(), withLarge({ priceChange: -20 }), 'JPY')).toEqual([
      'CHANGED Lunch/Soups/Caldo verde/Size/Large: price +¥150 → -¥20',
    ]);
    expect(changes(withItem({ price: 125_000 }), withItem({ price: 125_050 }), 'HUF')).toEqual([
      'CHANGED Lunch/Soups/Caldo verde: price HUF\u00a01,250 → HUF\u00a01,250.5',
    ]);
    expect(changes(cleanMenu(), withItem({ tax: 50 }), null)).toEqual([
      'CHANGED Lunch/Soups/Caldo verde: tax 0.45 → 0.50',
    ]);
  });

  test('tell what is sold out and what is back', () => {
    expect(changes(cleanMenu(), withItem({ inStock: false }))).toEqual(['CHANGED Lunch/Soups/Caldo verde: sold out']);
    expect(changes(withLarge({ inStock: false }), cleanMenu())).toEqual([
      'CHANGED Lunch/Soups/Caldo verde/Size/Large: back in stock',
    ]);
  });

  test('have one line for days whose hours changed alike, and for another spelling of the same hours', () => {
    const week = ['MON', 'TUE', 'WED', 'SAT'];
    const hours = (start: string) => withMenu({ availability: week.map(day => on(day, start, '15:00')) });
    expect(changes(hours('11:00'), hours('11:30'))).toEqual([
      'CHANGED Lunch: available MON–WED, SAT 11:00–15:00 → 11:30–15:00',
    ]);
    expect(changes(hours('11:00'), withMenu({ availability: [on('MON', '11:00', '15:00')] }))).toEqual([
      'CHANGED Lunch: available TUE–WED, SAT 11:00–15:00 → null',
    ]);
    expect(changes(cleanMenu(), withMenu({ availability: [on('Monday', '11:00:00', '15:00')] }))).toEqual([
      'CHANGED Lunch: available (only written differently) MON 11:00–15:00 → MON 11:00:00–15:00',
    ]);
  });

  test('name an item that was inserted in front, and none of those that it shifted', () => {
    expect(changes(twoCategories(dishes, []), twoCategories(['new', ...dishes], []))).toEqual([
      'ADDED Lunch/Soups/Dish new: €4.50',
    ]);
  });

  test('name only what was moved', () => {
    expect(changes(twoCategories(dishes, []), twoCategories(['d7', ...dishes.toSpliced(7, 1)], []))).toEqual([
      'CHANGED Lunch/Soups/Dish d7: moved to the top',
    ]);
    expect(changes(twoCategories(['a', 'b', 'c'], []), twoCategories(['b', 'c', 'a'], []))).toEqual([
      'CHANGED Lunch/Soups/Dish a: moved after Dish c',
    ]);
    expect(changes(twoCategories(['a', 'b'], ['c']), twoCategories(['b'], ['c', 'a']))).toEqual([
      'CHANGED Lunch/Mains/Dish a: moved from Soups to Mains',
    ]);
    expect(changes(twoCategories(['a', 'b'], ['c']), twoCategories(['a', 'b'], ['c', 'a']))).toEqual([
      'CHANGED Lunch/Soups/Dish a: added to Mains',
    ]);
  });

  test('tell a new order as a whole', () => {
    expect(changes(twoCategories(dishes, []), twoCategories(dishes.toReversed(), []))).toEqual([
      'CHANGED Lunch/Soups: new order of items: Dish d399, Dish d398, Dish d397, Dish d396, Dish d395 and 395 more',
    ]);
  });

  test('are in the order of the menu, with what was removed where it was, and what is in nothing last', () => {
    const from = twoCategories(['a', 'b', 'c'], ['d']);
    const to = twoCategories(['a', 'c'], ['e', 'd']);
    const unused = plain({ externalId: 'unused', name: text('Unused') });
    const priced = to.items.map(dish => (dish.externalId === 'b' ? dish : { ...dish, price: 600 }));
    expect(changes(from, { ...to, items: [unused, ...priced].reverse() })).toEqual([
      'CHANGED Lunch/Soups/Dish a: price €4.50 → €6.00',
      'REMOVED Lunch/Soups/Dish b: €4.50',
      'CHANGED Lunch/Soups/Dish c: price €4.50 → €6.00',
      'ADDED Lunch/Mains/Dish e: €6.00',
      'CHANGED Lunch/Mains/Dish d: price €4.50 → €6.00',
      'ADDED Unused: €4.50',
    ]);
  });

  test('of a category under a new external id do not name its items, which are the same', () => {
    const renamed = {
      menus: [menu({ categoryExternalIds: ['hot-soups'] })],
      categories: [category({ externalId: 'hot-soups', name: text('Hot soups') })],
    };
    expect(changes(cleanMenu(), cleanMenu(renamed))).toEqual([
      'REMOVED Lunch/Soups: with Caldo verde',
      'ADDED Lunch/Hot soups: with Caldo verde',
    ]);
  });

  test('tell an order of the posted lists that no guest sees apart from the others', () => {
    const input = twoCategories(['a', 'b'], []);
    const reversed = configurationOf({ ...input, items: input.items.toReversed() });
    expect(compareAtOnce(configurationOf(input), reversed)).toEqual({ entities: [], reordered: ['items'] });
  });

  test('count the items that share a modifier group', () => {
    const shared = (name: string) =>
      cleanMenu({
        items: [item(), item({ externalId: 'second' })],
        modifierGroups: (cleanMenu().modifierGroups ?? []).map(group => ({ ...group, name: text(name) })),
      });
    const { entities } = compareAtOnce(configurationOf(shared('Size')), configurationOf(shared('Sizes')));
    expect(entities).toMatchObject([{ externalId: 'group', parentCount: 2 }]);
  });
});

test('the time to compare a menu hardly grows faster than the elements of its availability', () => {
  const timeOf = (count: number) => {
    const times = Array.from({ length: 6 }, () => {
      const days = Array.from({ length: count }, (_, at) => on('MON', `1${at % 10}:00`, '23:00'));
      const startedAt = performance.now();
      expect(changes(withMenu({ availability: days }), withMenu({ availability: days.slice(1) }))).toHaveLength(1);
      return performance.now() - startedAt;
    });
    return Math.min(...times);
  };
  expect(timeOf(4_000) / timeOf(500)).toBeLessThan(24);
});
