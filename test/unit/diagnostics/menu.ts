import type {
  CategoryInput,
  MenuConfigurationInput,
  MenuInput,
  MenuItemInput,
  ModifierGroupInput,
  ModifierItemInput,
} from '../../../src/generated/graph.ts';

/** A menu without anything doubtful; each part can be changed alone. */
export function fineMenu(given: Partial<MenuConfigurationInput> = {}): MenuConfigurationInput {
  return {
    menus: [menu()],
    categories: [category()],
    items: [item()],
    modifierGroups: [group()],
    modifierItems: [small(), large()],
    ...given,
  };
}

export function menu(given: Partial<MenuInput> = {}): MenuInput {
  return {
    externalId: 'menu',
    name: text('Lunch'),
    availability: [on('MON', '11:00', '15:00')],
    categoryExternalIds: ['category'],
    ...given,
  };
}

export function category(given: Partial<CategoryInput> = {}): CategoryInput {
  return { externalId: 'category', name: text('Soups'), itemExternalIds: ['item'], ...given };
}

export function item(given: Partial<MenuItemInput> = {}): MenuItemInput {
  return {
    externalId: 'item',
    name: text('Caldo verde'),
    description: text('With chouriço'),
    price: 450,
    tax: 45,
    sellSeparately: true,
    modifierExternalIds: ['group'],
    ...given,
  };
}

export function group(given: Partial<ModifierGroupInput> = {}): ModifierGroupInput {
  return {
    externalId: 'group',
    type: 'SIZE',
    name: text('Size'),
    groupMin: 1,
    groupMax: 1,
    chargeAfter: 0,
    modifierItemExternalIds: ['small', 'large'],
    ...given,
  };
}

const quantities = { minQuantity: 0, maxQuantity: 1, defaultQuantity: 0 };

export function small(given: Partial<ModifierItemInput> = {}): ModifierItemInput {
  return { externalId: 'small', name: text('Small'), priceChange: 0, taxChange: 0, ...quantities, ...given };
}

export function large(given: Partial<ModifierItemInput> = {}): ModifierItemInput {
  return { externalId: 'large', name: text('Large'), priceChange: 150, taxChange: 15, ...quantities, ...given };
}

export function text(en: string, others: Readonly<Record<string, string>> = {}) {
  return { translations: { en, ...others } };
}

export function on(dayOfWeek: string, startTime: string, endTime: string) {
  return { dayOfWeek, timePeriods: [{ startTime, endTime }] };
}

/** As many items in one category as there are prices, without modifiers. */
export function priced(...prices: readonly number[]): MenuConfigurationInput {
  const ids = prices.map((_price, index) => `item-${index}`);
  return {
    menus: [menu()],
    categories: [category({ itemExternalIds: ids })],
    items: prices.map((price, index) => plain({ externalId: `item-${index}`, name: text(`Soup ${index}`), price })),
  };
}

/** The same with one tax for all. */
export function taxed(tax: number, ...prices: readonly number[]): MenuConfigurationInput {
  const configuration = priced(...prices);
  return { ...configuration, items: configuration.items.map(each => ({ ...each, tax })) };
}

/** An item without modifiers and tax. */
export function plain(given: Partial<MenuItemInput> = {}): MenuItemInput {
  return item({ tax: 0, modifierExternalIds: [], ...given });
}

/** Items that each offer the next one as their only modifier, by position; the last one offers the one at `back`. */
export function chain(length: number, back?: number): MenuConfigurationInput {
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
        modifierExternalIds: next(position) === undefined ? [] : [`group-${position}`],
      }),
    ),
    modifierGroups: offering.map(position =>
      group({ externalId: `group-${position}`, groupMin: 0, modifierItemExternalIds: [`modifier-${position}`] }),
    ),
    modifierItems: offering.map(position =>
      large({
        externalId: `modifier-${position}`,
        name: text(`Add ${position}`),
        menuItemExternalId: `item-${next(position)}`,
      }),
    ),
  };
}

export const withMenu = (given: Parameters<typeof menu>[0]) => fineMenu({ menus: [menu(given)] });
export const withItem = (given: Parameters<typeof item>[0]) => fineMenu({ items: [item(given)] });
export const withGroup = (given: Parameters<typeof group>[0]) => fineMenu({ modifierGroups: [group(given)] });
export const withSmall = (given: Parameters<typeof small>[0]) => fineMenu({ modifierItems: [small(given), large()] });
export const withLarge = (given: Parameters<typeof large>[0]) => fineMenu({ modifierItems: [small(), large(given)] });
export const onSale = (...availability: ReturnType<typeof on>[]) => withMenu({ availability });
export const twoItems = (name: string) =>
  fineMenu({
    categories: [category({ itemExternalIds: ['item', 'second'] })],
    items: [item(), plain({ externalId: 'second', name: text(name) })],
  });
