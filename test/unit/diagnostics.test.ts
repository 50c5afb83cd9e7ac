import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MenuConfigurationInput } from '../../src/generated/graph.ts';
import { documentReader } from '../../src/import/documents.ts';
import { ValidationErrors } from '../../src/input/validation-errors.ts';
import type { ConfigurationRows } from '../../src/menu/configuration.ts';
import { severityOf } from '../../src/menu/diagnostics/codes.ts';
import { placeOf } from '../../src/menu/diagnostics/place.ts';
import { type Diagnostic, diagnose } from '../../src/menu/diagnostics.ts';
import { category, fineMenu, item, menu, on, onSale, plain, text, withItem } from './diagnostics/menu.ts';
import { inStructure } from './diagnostics/structure.ts';
import { unfound } from './diagnostics/unfound.ts';
import { inValues } from './diagnostics/values.ts';

const found = [...inStructure, ...inValues];
const summary = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ code, path }) => [code, placeOf(path)]);
const root = new URL('../../', import.meta.url);

// The compiler checks that both forms of a configuration fit.
diagnose satisfies (input: MenuConfigurationInput) => Diagnostic[];
diagnose satisfies (rows: ConfigurationRows) => Diagnostic[];

describe('what is found', () => {
  test.each(found)('%s at %s, and nothing else', (code, place, configuration) => {
    const diagnostics = diagnose(configuration);
    expect(summary(diagnostics)).toEqual([[code, place]]);
    expect(diagnostics[0]?.severity).toBe(severityOf[code]);
    expect(diagnostics[0]?.message).toMatch(/^[A-Z].*\.$/);
  });

  test('every code has a case', () => {
    expect(new Set(found.map(([code]) => code))).toEqual(new Set(Object.keys(severityOf)));
  });

  test.each(unfound)('nothing in %s', (_fact, configuration) => {
    expect(diagnose(configuration)).toEqual([]);
  });

  test('nothing worse than INFO in the demo menus', () => {
    const folder = new URL('demo/menus/', root);
    const reader = documentReader('MenuConfigurationInput');
    for (const file of readdirSync(folder)) {
      const body = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
      const errors = new ValidationErrors();
      const diagnostics = diagnose(reader.read(body, [], errors) as MenuConfigurationInput);
      expect(diagnostics.filter(({ severity }) => severity !== 'INFO')).toEqual([]);
    }
  });

  test('a menu without categories, and not each item that is therefore unreachable', () => {
    const configuration = fineMenu({ menus: [menu({ categoryExternalIds: [] })], categories: [] });
    expect(summary(diagnose(configuration))).toEqual([['EMPTY_MENU', 'menus[0].categoryExternalIds']]);
  });

  test('a language that at least half of the other texts have, in each text without it', () => {
    const bare = { menus: [menu()], categories: [category()], items: [plain({ description: null })] };
    const inPortuguese = { ...bare, items: [plain({ name: text('Soup', { pt: 'Sopa' }), description: null })] };
    expect(diagnose(bare)).toEqual([]);
    expect(summary(diagnose(inPortuguese))).toEqual([
      ['MISSING_TRANSLATION', 'menus[0].name.translations'],
      ['MISSING_TRANSLATION', 'categories[0].name.translations'],
    ]);
    const withDescription = {
      ...inPortuguese,
      items: inPortuguese.items.map(each => ({ ...each, description: text('Hot') })),
    };
    expect(diagnose(withDescription)).toEqual([]);
  });

  test('a key that is no language once, with the number of its texts', () => {
    const items = ['a', 'b', 'c'].map(externalId => plain({ externalId, name: text(externalId, { cn: '湯' }) }));
    const configuration = fineMenu({ categories: [category({ itemExternalIds: ['a', 'b', 'c'] })], items });
    const keys = diagnose(configuration).filter(({ code }) => code === 'UNKNOWN_LANGUAGE');
    expect(keys.map(({ message }) => message)).toEqual([
      'The key "cn" of 3 texts is not a language like "en" or "es_ES".',
    ]);
  });
});

describe('a message', () => {
  const messageFor = (name: string) => diagnose(withItem({ name: text(name), price: -1, tax: 0 }))[0]?.message;

  test('names the entity and the value', () => {
    expect(messageFor('Caldo verde')).toBe('Item "Caldo verde" has the negative price -1.');
  });

  test('tells which end of a window is not understood', () => {
    const [from] = diagnose(onSale(on('MON', '9:00', '15:00')));
    const [until] = diagnose(onSale(on('MON', '09:00', '15.00')));
    expect(from?.message).toContain('from "9:00"');
    expect(until?.message).toContain('until "15.00"');
  });

  test('names an entity without a name by its external id', () => {
    const [diagnostic] = diagnose(withItem({ name: text('  '), sellSeparately: false }));
    expect(diagnostic?.message).toContain('Item "item" ');
  });

  test('stays on one line and cuts a long name between characters', () => {
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
    const configuration = fineMenu({
      menus: [menu({ availability: [] })],
      categories: [category({ itemExternalIds: items.map(({ externalId }) => externalId) })],
      items: [...items.slice(0, 10), { ...item({ externalId: 'item-10', price: -1, tax: 0, sellSeparately: false }) }],
      modifierItems: [],
    });
    expect(summary(diagnose(configuration))).toEqual([
      ['ITEM_NEVER_SOLD', 'items[10].sellSeparately'],
      ['GROUP_MIN_UNREACHABLE', 'modifierGroups[0].groupMin'],
      ['MENU_NEVER_ON_SALE', 'menus[0].availability'],
      ['NEGATIVE_PRICE', 'items[0].price'],
      ['NEGATIVE_PRICE', 'items[5].price'],
      ['NEGATIVE_PRICE', 'items[10].price'],
    ]);
  });

  test('leaves the least severe out beyond 1000', () => {
    const items = Array.from({ length: 1500 }, (_, index) => {
      const extreme = index >= 1490 ? { sellSeparately: false } : { dietaryLabels: ['VEGAN'] as const };
      return plain({ externalId: `item-${index}`, name: text(`Soup ${index}`), ...extreme });
    });
    const categories = [category({ itemExternalIds: items.map(({ externalId }) => externalId) })];
    const diagnostics = diagnose({ menus: [menu()], categories, items });
    expect(diagnostics).toHaveLength(1000);
    expect(diagnostics.slice(0, 10).map(({ path }) => path[1])).toEqual(
      items.slice(1490).map((_, index) => 1490 + index),
    );
    expect(diagnostics.at(-1)?.path).toEqual(['items', 989, 'dietaryLabels']);
  });
});
