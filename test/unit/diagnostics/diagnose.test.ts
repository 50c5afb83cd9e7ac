import { describe, expect, test } from 'vitest';
import { severityOf } from '../../../src/menu/diagnostics/codes.ts';
import type { Diagnostic } from '../../../src/menu/diagnostics/diagnose.ts';
import { formatPath } from '../../../src/menu/diagnostics/messages.ts';
import { demoStores } from '../../support/demo.ts';
import { cases } from './cases.ts';
import { cleanMenus } from './clean-menus.ts';
import {
  availableOn,
  category,
  cleanMenu,
  diagnoseAtOnce,
  item,
  menu,
  on,
  plain,
  text,
  withItem,
} from './menu-builder.ts';

const summary = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ code, path }) => [code, formatPath(path)]);

describe('diagnose', () => {
  test.each(cases)('reports %s at %s, and nothing else', (code, path, configuration) => {
    const diagnostics = diagnoseAtOnce(configuration);
    expect(summary(diagnostics)).toEqual([[code, path]]);
    expect(diagnostics[0]?.severity).toBe(severityOf[code]);
    expect(diagnostics[0]?.message).toMatch(/^[A-Z].*\.$/);
  });

  test('is tested for every code', () => {
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(Object.keys(severityOf)));
  });

  test.each(cleanMenus)('reports nothing for %s', (_fact, configuration) => {
    expect(diagnoseAtOnce(configuration)).toEqual([]);
  });

  test('reports nothing worse than INFO for the demo menus', () => {
    for (const { menu } of demoStores()) {
      expect(diagnoseAtOnce(menu).filter(({ severity }) => severity !== 'INFO')).toEqual([]);
    }
  });

  test('reports a menu without categories, but not each item that is therefore unreachable', () => {
    const configuration = cleanMenu({ menus: [menu({ categoryExternalIds: [] })], categories: [] });
    expect(summary(diagnoseAtOnce(configuration))).toEqual([['EMPTY_MENU', 'menus[0].categoryExternalIds']]);
  });

  test('reports each text that lacks a language of at least half of the other texts', () => {
    const bare = { menus: [menu()], categories: [category()], items: [plain({ description: null })] };
    const inPortuguese = { ...bare, items: [plain({ name: text('Soup', { pt: 'Sopa' }), description: null })] };
    expect(diagnoseAtOnce(bare)).toEqual([]);
    expect(summary(diagnoseAtOnce(inPortuguese))).toEqual([
      ['MISSING_TRANSLATION', 'menus[0].name.translations'],
      ['MISSING_TRANSLATION', 'categories[0].name.translations'],
    ]);
    const withDescription = {
      ...inPortuguese,
      items: inPortuguese.items.map(each => ({ ...each, description: text('Hot') })),
    };
    expect(diagnoseAtOnce(withDescription)).toEqual([]);
  });

  test('reports an unknown language key once, with the number of its texts', () => {
    const items = ['a', 'b', 'c'].map(externalId => plain({ externalId, name: text(externalId, { cn: '湯' }) }));
    const configuration = cleanMenu({ categories: [category({ itemExternalIds: ['a', 'b', 'c'] })], items });
    const keys = diagnoseAtOnce(configuration).filter(({ code }) => code === 'UNKNOWN_LANGUAGE');
    expect(keys.map(({ message }) => message)).toEqual([
      'The key "cn" of 3 texts is not a language like "en" or "es_ES".',
    ]);
  });
});

describe('a message', () => {
  const messageFor = (name: string) => diagnoseAtOnce(withItem({ name: text(name), price: -1, tax: 0 }))[0]?.message;

  test('names the entity and the value', () => {
    expect(messageFor('Caldo verde')).toBe('Item "Caldo verde" has the negative price -1.');
  });

  test('names the start or end of a window that cannot be parsed', () => {
    const [from] = diagnoseAtOnce(availableOn(on('MON', '9:00', '15:00')));
    const [until] = diagnoseAtOnce(availableOn(on('MON', '09:00', '15.00')));
    expect(from?.message).toContain('from "9:00"');
    expect(until?.message).toContain('until "15.00"');
  });

  test('names an entity without a name by its external id', () => {
    const [diagnostic] = diagnoseAtOnce(withItem({ name: text('  '), sellSeparately: false }));
    expect(diagnostic?.message).toContain('Item "item" ');
  });

  test('is a single line, and truncates a long name between characters', () => {
    expect(messageFor('a\n\nb')).toBe('Item "a b" has the negative price -1.');
    expect(messageFor('🍲'.repeat(61))).toBe(`Item "${'🍲'.repeat(60)}…" has the negative price -1.`);
    expect(messageFor('🍲'.repeat(60))).toBe(`Item "${'🍲'.repeat(60)}" has the negative price -1.`);
  });
});

describe('the order', () => {
  test('is by severity, then from the menus down, then by position', () => {
    const items = Array.from({ length: 11 }, (_, index) =>
      plain({ externalId: `item-${index}`, name: text(`Soup ${index}`), price: index % 5 === 0 ? -1 : 100 }),
    );
    const configuration = cleanMenu({
      menus: [menu({ availability: [] })],
      categories: [category({ itemExternalIds: items.map(({ externalId }) => externalId) })],
      items: [...items.slice(0, 10), { ...item({ externalId: 'item-10', price: -1, tax: 0, sellSeparately: false }) }],
      modifierItems: [],
    });
    expect(summary(diagnoseAtOnce(configuration))).toEqual([
      ['ITEM_NEVER_SOLD', 'items[10].sellSeparately'],
      ['GROUP_MIN_UNREACHABLE', 'modifierGroups[0].groupMin'],
      ['MENU_NEVER_AVAILABLE', 'menus[0].availability'],
      ['NEGATIVE_PRICE', 'items[0].price'],
      ['NEGATIVE_PRICE', 'items[5].price'],
      ['NEGATIVE_PRICE', 'items[10].price'],
    ]);
  });

  test('puts the least severe last, where the list is truncated after 1000', () => {
    const items = Array.from({ length: 1500 }, (_, index) => {
      const extreme = index >= 1490 ? { sellSeparately: false } : { dietaryLabels: ['VEGAN'] as const };
      return plain({ externalId: `item-${index}`, name: text(`Soup ${index}`), ...extreme });
    });
    const categories = [category({ itemExternalIds: items.map(({ externalId }) => externalId) })];
    const diagnostics = diagnoseAtOnce({ menus: [menu()], categories, items });
    expect(diagnostics).toHaveLength(1000);
    expect(diagnostics.slice(0, 10).map(({ path }) => path[1])).toEqual(
      items.slice(1490).map((_, index) => 1490 + index),
    );
    expect(diagnostics.at(-1)?.path).toEqual(['items', 989, 'dietaryLabels']);
  });
});
