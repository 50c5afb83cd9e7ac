import type { MenuConfigurationInput } from '../../../src/generated/graph.ts';
import type { DiagnosticCode } from '../../../src/menu/diagnostics/codes.ts';
import {
  category,
  chain,
  fineMenu,
  group,
  item,
  large,
  menu,
  plain,
  small,
  text,
  withGroup,
  withItem,
  withLarge,
  withSmall,
} from './menu.ts';

/** A code, the place where it is found, and a configuration in which nothing else is. */
export type Found = readonly [DiagnosticCode, string, MenuConfigurationInput];

const reachability: readonly Found[] = [
  ['NO_MENU', 'menus', fineMenu({ menus: null })],
  ['EMPTY_MENU', 'menus[1].categoryExternalIds', fineMenu({ menus: [menu(), menu({ categoryExternalIds: null })] })],
  [
    'EMPTY_CATEGORY',
    'categories[1].itemExternalIds',
    fineMenu({
      menus: [menu({ categoryExternalIds: ['category', 'second'] })],
      categories: [category(), category({ externalId: 'second', name: text('Sweets'), itemExternalIds: [] })],
    }),
  ],
  ['UNREACHABLE_CATEGORY', 'categories[1]', fineMenu({ categories: [category(), category({ externalId: 'second' })] })],
  ['UNREACHABLE_ITEM', 'items[1]', fineMenu({ items: [item(), plain({ externalId: 'second' })] })],
  ['UNREACHABLE_GROUP', 'modifierGroups[1]', fineMenu({ modifierGroups: [group(), group({ externalId: 'second' })] })],
  [
    'UNREACHABLE_MODIFIER_ITEM',
    'modifierItems[2]',
    fineMenu({ modifierItems: [small(), large(), large({ externalId: 'second' })] }),
  ],
  ['ITEM_NEVER_SOLD', 'items[0].sellSeparately', withItem({ sellSeparately: false })],
  ['CIRCULAR_MODIFIER', 'modifierItems[1].menuItemExternalId', chain(4, 1)],
];

const choices: readonly Found[] = [
  ['GROUP_MAX_BELOW_MIN', 'modifierGroups[0].groupMax', withGroup({ groupMin: 2 })],
  ['GROUP_MIN_UNREACHABLE', 'modifierGroups[0].groupMin', withGroup({ groupMin: 3, groupMax: 3 })],
  [
    'GROUP_MIN_UNREACHABLE',
    'modifierGroups[0].groupMin',
    fineMenu({ modifierGroups: [group({ modifierItemExternalIds: null })], modifierItems: null }),
  ],
  [
    'EMPTY_GROUP',
    'modifierGroups[0].modifierItemExternalIds',
    fineMenu({ modifierGroups: [group({ groupMin: 0, groupMax: 0, modifierItemExternalIds: [] })], modifierItems: [] }),
  ],
  ['GROUP_MAX_ZERO', 'modifierGroups[0].groupMax', withGroup({ groupMin: 0, groupMax: 0 })],
  [
    'MINIMUMS_ABOVE_GROUP_MAX',
    'modifierGroups[0].groupMax',
    fineMenu({
      modifierGroups: [group({ groupMax: 2 })],
      modifierItems: [small({ minQuantity: 3, maxQuantity: 3, defaultQuantity: 3 }), large()],
    }),
  ],
  [
    'DEFAULTS_ABOVE_GROUP_MAX',
    'modifierGroups[0].groupMax',
    fineMenu({ modifierItems: [small({ defaultQuantity: 1 }), large({ defaultQuantity: 1 })] }),
  ],
  [
    'DEFAULTS_BELOW_GROUP_MIN',
    'modifierGroups[0].groupMin',
    fineMenu({
      modifierGroups: [group({ groupMin: 2, groupMax: 2 })],
      modifierItems: [small({ defaultQuantity: 1 }), large()],
    }),
  ],
  ['CHARGE_AFTER_ABOVE_MAX', 'modifierGroups[0].chargeAfter', withGroup({ chargeAfter: 2 })],
  ['PRICES_NEVER_CHARGED', 'modifierGroups[0].chargeAfter', withGroup({ chargeAfter: 1 })],
  ['NEGATIVE_QUANTITY', 'modifierGroups[0].chargeAfter', withGroup({ chargeAfter: -1 })],
  ['NEGATIVE_QUANTITY', 'modifierItems[0].minQuantity', withSmall({ minQuantity: -1 })],
  ['MODIFIER_MAX_BELOW_MIN', 'modifierItems[1].maxQuantity', withLarge({ minQuantity: 1, maxQuantity: 0 })],
  ['MODIFIER_MAX_ZERO', 'modifierItems[1].maxQuantity', withLarge({ maxQuantity: 0 })],
  ['DEFAULT_OUT_OF_RANGE', 'modifierItems[1].defaultQuantity', withLarge({ minQuantity: 1 })],
];

const stock: readonly Found[] = [
  ['CATEGORY_OUT_OF_STOCK', 'categories[0]', withItem({ inStock: false })],
  [
    'GROUP_OUT_OF_STOCK',
    'modifierGroups[0].groupMin',
    fineMenu({ modifierItems: [small({ inStock: false }), large({ inStock: false })] }),
  ],
  [
    'GROUP_OUT_OF_STOCK',
    'modifierGroups[0].groupMin',
    fineMenu({
      modifierGroups: [group({ groupMin: 2, groupMax: 2 })],
      modifierItems: [small(), large({ inStock: false })],
    }),
  ],
  [
    'GROUP_MAX_BELOW_MIN',
    'modifierGroups[0].groupMax',
    fineMenu({ modifierGroups: [group({ groupMin: 2 })], modifierItems: [small(), large({ inStock: false })] }),
  ],
  ['DEFAULT_OUT_OF_STOCK', 'modifierItems[0].defaultQuantity', withSmall({ inStock: false, defaultQuantity: 1 })],
  [
    'STOCK_MISMATCH',
    'modifierItems[1].inStock',
    fineMenu({
      items: [item(), plain({ externalId: 'second', inStock: false })],
      modifierItems: [small(), large({ menuItemExternalId: 'second' })],
    }),
  ],
];

export const inStructure = [...reachability, ...choices, ...stock];
