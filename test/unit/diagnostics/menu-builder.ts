import { runAtOnce } from '@carte/base/time-slice';
import type {
  CategoryInput,
  MenuInput,
  MenuItemInput,
  ModifierGroupInput,
  ModifierItemInput,
} from '../../../src/generated/graph.ts';
import { type Diagnostic, diagnose } from '../../../src/menu/diagnostics/diagnose.ts';
import type { ConfigurationInput } from '../../../src/menu/kinds.ts';

export const diagnoseAtOnce = (configuration: ConfigurationInput): Diagnostic[] => runAtOnce(diagnose(configuration));

/** A configuration without findings; each list can be overridden. */
export function cleanMenu(overrides: Partial<ConfigurationInput> = {}): ConfigurationInput {
  return {
    menus: [menu()],
    categories: [category()],
    items: [item()],
    modifierGroups: [group()],
    modifierItems: [small(), large()],
    ...overrides,
  };
}

export function menu(overrides: Partial<MenuInput> = {}): MenuInput {
  return {
    externalId: 'menu',
    name: text('Lunch'),
    availability: [on('MON', '11:00', '15:00')],
    categoryExternalIds: ['category'],
    ...overrides,
  };
}

export function category(overrides: Partial<CategoryInput> = {}): CategoryInput {
  return { externalId: 'category', name: text('Soups'), itemExternalIds: ['item'], ...overrides };
}

export function item(overrides: Partial<MenuItemInput> = {}): MenuItemInput {
  return {
    externalId: 'item',
    name: text('Caldo verde'),
    description: text('With chouriço'),
    price: 450,
    tax: 45,
    sellSeparately: true,
    modifierGroupExternalIds: ['group'],
    ...overrides,
  };
}

export function group(overrides: Partial<ModifierGroupInput> = {}): ModifierGroupInput {
  return {
    externalId: 'group',
    type: 'SIZE',
    name: text('Size'),
    groupMin: 1,
    groupMax: 1,
    chargeAfter: 0,
    modifierItemExternalIds: ['small', 'large'],
    ...overrides,
  };
}

const quantities = { minQuantity: 0, maxQuantity: 1, defaultQuantity: 0 };

export function small(overrides: Partial<ModifierItemInput> = {}): ModifierItemInput {
  return { externalId: 'small', name: text('Small'), priceChange: 0, taxChange: 0, ...quantities, ...overrides };
}

export function large(overrides: Partial<ModifierItemInput> = {}): ModifierItemInput {
  return { externalId: 'large', name: text('Large'), priceChange: 150, taxChange: 15, ...quantities, ...overrides };
}

export function text(en: string, others: Readonly<Record<string, string>> = {}) {
  return { translations: { en, ...others } };
}

export function on(dayOfWeek: string, startTime: string, endTime: string) {
  return { dayOfWeek, timePeriods: [{ startTime, endTime }] };
}

/** One category with an item per price, without modifiers. */
export function priced(...prices: readonly number[]): ConfigurationInput {
  const ids = prices.map((_price, index) => `item-${index}`);
  return {
    menus: [menu()],
    categories: [category({ itemExternalIds: ids })],
    items: prices.map((price, index) => plain({ externalId: `item-${index}`, name: text(`Soup ${index}`), price })),
  };
}

/** As `priced`, with the same tax for all items. */
export function taxed(tax: number, ...prices: readonly number[]): ConfigurationInput {
  const configuration = priced(...prices);
  return { ...configuration, items: configuration.items.map(each => ({ ...each, tax })) };
}

/** An item without modifiers and tax. */
export function plain(overrides: Partial<MenuItemInput> = {}): MenuItemInput {
  return item({ tax: 0, modifierGroupExternalIds: [], ...overrides });
}

/** Items that each offer the next item as their only modifier; the last one offers the item at index `back`. */
export function chain(length: number, back?: number): ConfigurationInput {
  const positions = Array.from({ length }, (_, position) => position);
  const next = (position: number) => (position === length - 1 ? back : position + 1);
  const offering = positions.filter(position => next(position) !== undefined);
  return {
    menus: [menu()],
    categories: [category({ itemExternalIds: ['item-0'] })],
    items: positions.map(position =>
      plain({
        externalId: `item-${position}`,
        name: text(`Item ${position}`),
        modifierGroupExternalIds: next(position) === undefined ? [] : [`group-${position}`],
      }),
    ),
    modifierGroups: offering.map(position =>
      group({ externalId: `group-${position}`, groupMin: 0, modifierItemExternalIds: [`modifier-${position}`] }),
    ),
    modifierItems: offering.map(position =>
      large({
        externalId: `modifier-${position}`,
        name: text(`Add ${position}`),
        itemExternalId: `item-${next(position)}`,
      }),
    ),
  };
}

export const withMenu = (overrides: Parameters<typeof menu>[0]) => cleanMenu({ menus: [menu(overrides)] });
export const withItem = (overrides: Parameters<typeof item>[0]) => cleanMenu({ items: [item(overrides)] });
export const withGroup = (overrides: Parameters<typeof group>[0]) => cleanMenu({ modifierGroups: [group(overrides)] });
export const withSmall = (overrides: Parameters<typeof small>[0]) =>
  cleanMenu({ modifierItems: [small(overrides), large()] });
export const withLarge = (overrides: Parameters<typeof large>[0]) =>
  cleanMenu({ modifierItems: [small(), large(overrides)] });
export const availableOn = (...availability: ReturnType<typeof on>[]) => withMenu({ availability });
export const twoItems = (name: string) =>
  cleanMenu({
    categories: [category({ itemExternalIds: ['item', 'second'] })],
    items: [item(), plain({ externalId: 'second', name: text(name) })],
  });
