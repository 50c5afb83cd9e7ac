import type { MenuDiagnosticCode } from '../../../src/generated/graph.ts';
import type { ConfigurationInput } from '../../../src/menu/kinds.ts';
import {
  availableOn,
  category,
  chain,
  cleanMenu,
  group,
  item,
  large,
  menu,
  on,
  plain,
  priced,
  small,
  taxed,
  text,
  twoItems,
  withGroup,
  withItem,
  withLarge,
  withMenu,
  withSmall,
} from './menu-builder.ts';

/** A code, the path at which it is reported, and a configuration without other findings. */
type Case = readonly [MenuDiagnosticCode, string, ConfigurationInput];

const reachability: readonly Case[] = [
  ['NO_MENU', 'menus', cleanMenu({ menus: null })],
  [
    'EMPTY_MENU',
    'menus[1].categoryExternalIds',
    cleanMenu({ menus: [menu(), menu({ externalId: 'empty', categoryExternalIds: null })] }),
  ],
  [
    'EMPTY_CATEGORY',
    'categories[1].itemExternalIds',
    cleanMenu({
      menus: [menu({ categoryExternalIds: ['category', 'second'] })],
      categories: [category(), category({ externalId: 'second', name: text('Sweets'), itemExternalIds: [] })],
    }),
  ],
  [
    'UNREACHABLE_CATEGORY',
    'categories[1]',
    cleanMenu({ categories: [category(), category({ externalId: 'second' })] }),
  ],
  ['UNREACHABLE_ITEM', 'items[1]', cleanMenu({ items: [item(), plain({ externalId: 'second' })] })],
  ['UNREACHABLE_GROUP', 'modifierGroups[1]', cleanMenu({ modifierGroups: [group(), group({ externalId: 'second' })] })],
  [
    'UNREACHABLE_MODIFIER_ITEM',
    'modifierItems[2]',
    cleanMenu({ modifierItems: [small(), large(), large({ externalId: 'second' })] }),
  ],
  ['ITEM_NEVER_SOLD', 'items[0].sellSeparately', withItem({ sellSeparately: false })],
  ['CIRCULAR_MODIFIER', 'modifierItems[1].itemExternalId', chain(4, 1)],
];

const modifiers: readonly Case[] = [
  ['GROUP_MAX_BELOW_MIN', 'modifierGroups[0].groupMax', withGroup({ groupMin: 2 })],
  ['GROUP_MIN_UNREACHABLE', 'modifierGroups[0].groupMin', withGroup({ groupMin: 3, groupMax: 3 })],
  [
    'GROUP_MIN_UNREACHABLE',
    'modifierGroups[0].groupMin',
    cleanMenu({ modifierGroups: [group({ modifierItemExternalIds: null })], modifierItems: null }),
  ],
  [
    'EMPTY_GROUP',
    'modifierGroups[0].modifierItemExternalIds',
    cleanMenu({
      modifierGroups: [group({ groupMin: 0, groupMax: 0, modifierItemExternalIds: [] })],
      modifierItems: [],
    }),
  ],
  ['GROUP_MAX_ZERO', 'modifierGroups[0].groupMax', withGroup({ groupMin: 0, groupMax: 0 })],
  [
    'MINIMUMS_ABOVE_GROUP_MAX',
    'modifierGroups[0].groupMax',
    cleanMenu({
      modifierGroups: [group({ groupMax: 2 })],
      modifierItems: [small({ minQuantity: 3, maxQuantity: 3, defaultQuantity: 3 }), large()],
    }),
  ],
  [
    'DEFAULTS_ABOVE_GROUP_MAX',
    'modifierGroups[0].groupMax',
    cleanMenu({ modifierItems: [small({ defaultQuantity: 1 }), large({ defaultQuantity: 1 })] }),
  ],
  [
    'DEFAULTS_BELOW_GROUP_MIN',
    'modifierGroups[0].groupMin',
    cleanMenu({
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

const stock: readonly Case[] = [
  ['CATEGORY_OUT_OF_STOCK', 'categories[0]', withItem({ inStock: false })],
  [
    'GROUP_OUT_OF_STOCK',
    'modifierGroups[0].groupMin',
    cleanMenu({ modifierItems: [small({ inStock: false }), large({ inStock: false })] }),
  ],
  [
    'GROUP_OUT_OF_STOCK',
    'modifierGroups[0].groupMin',
    cleanMenu({
      modifierGroups: [group({ groupMin: 2, groupMax: 2 })],
      modifierItems: [small(), large({ inStock: false })],
    }),
  ],
  [
    'GROUP_MAX_BELOW_MIN',
    'modifierGroups[0].groupMax',
    cleanMenu({ modifierGroups: [group({ groupMin: 2 })], modifierItems: [small(), large({ inStock: false })] }),
  ],
  ['DEFAULT_OUT_OF_STOCK', 'modifierItems[0].defaultQuantity', withSmall({ inStock: false, defaultQuantity: 1 })],
  [
    'STOCK_MISMATCH',
    'modifierItems[1].inStock',
    cleanMenu({
      items: [item(), plain({ externalId: 'second', inStock: false })],
      modifierItems: [small(), large({ itemExternalId: 'second' })],
    }),
  ],
];

const availability: readonly Case[] = [
  ['MENU_NEVER_AVAILABLE', 'menus[0].availability', availableOn()],
  [
    'MENU_NEVER_AVAILABLE',
    'menus[0].availability',
    withMenu({ availability: [{ dayOfWeek: 'MON', timePeriods: [] }] }),
  ],
  ['UNKNOWN_DAY', 'menus[0].availability[0].dayOfWeek', availableOn(on('LUNES', '11:00', '15:00'))],
  ['UNKNOWN_TIME', 'menus[0].availability[0].timePeriods[0].startTime', availableOn(on('MON', '9:00', '15:00'))],
  ['UNKNOWN_TIME', 'menus[0].availability[0].timePeriods[0].endTime', availableOn(on('MON', '09:00', '3 pm'))],
  [
    'DUPLICATE_DAY',
    'menus[0].availability[1].dayOfWeek',
    availableOn(on('MON', '11:00', '15:00'), on('monday', '18:00', '22:00')),
  ],
  ['AMBIGUOUS_WINDOW', 'menus[0].availability[0].timePeriods[0]', availableOn(on('MON', '10:00', '10:00'))],
  [
    'OVERLAPPING_WINDOWS',
    'menus[0].availability[0].timePeriods[0]',
    withMenu({
      availability: [
        {
          dayOfWeek: 'MON',
          timePeriods: [
            { startTime: '14:59', endTime: '18:00' },
            { startTime: '11:00', endTime: '15:00' },
          ],
        },
      ],
    }),
  ],
  [
    'OVERLAPPING_WINDOWS',
    'menus[0].availability[1].timePeriods[0]',
    availableOn(on('MON', '22:00', '04:00'), on('TUE', '03:00', '05:00')),
  ],
  [
    'OVERLAPPING_WINDOWS',
    'menus[0].availability[0].timePeriods[0]',
    availableOn(on('MON', '03:00', '05:00'), on('SUN', '22:00', '04:00')),
  ],
  [
    'OVERLAPPING_WINDOWS',
    'menus[0].availability[0].timePeriods[1]',
    withMenu({
      availability: [
        {
          dayOfWeek: 'MON',
          timePeriods: [
            { startTime: '00:00', endTime: '00:00' },
            { startTime: '22:00', endTime: '23:00' },
          ],
        },
      ],
    }),
  ],
  [
    'LAST_MINUTE_UNAVAILABLE',
    'menus[0].availability[0].timePeriods[0].endTime',
    availableOn(on('SUN', '00:00', '23:59'), on('MON', '00:00', '23:59')),
  ],
];

const texts: readonly Case[] = [
  ['MISSING_NAME', 'items[0].name', withItem({ name: { translations: {} } })],
  ['MISSING_NAME', 'items[0].name', withItem({ name: text(' \n') })],
  ['BLANK_NAME', 'items[0].name.translations.pt', withItem({ name: text('Soup', { pt: ' ' }) })],
  ['BLANK_DESCRIPTION', 'items[0].description', withItem({ description: text('') })],
  ['BLANK_DESCRIPTION', 'items[0].description.translations.pt', withItem({ description: text('Hot', { pt: '' }) })],
  ['MISSING_TRANSLATION', 'items[0].name.translations', withItem({ name: { translations: { pt: 'Sopa' } } })],
  ['UNKNOWN_LANGUAGE', 'items[0].name.translations.jp', withItem({ name: text('Soup', { jp: 'スープ' }) })],
  ['UNKNOWN_LANGUAGE', 'items[0].name.translations.english', withItem({ name: text('Soup', { english: 'Soup' }) })],
  ['UNKNOWN_LANGUAGE', 'items[0].name.translations[""]', withItem({ name: text('Soup', { '': 'Sopa' }) })],
  ['GARBLED_TEXT', 'items[0].description.translations.en', withItem({ description: text('With chouriÃ§o') })],
  ['MARKUP_IN_TEXT', 'items[0].description.translations.en', withItem({ description: text('Hot<br/>soup') })],
  ['MARKUP_IN_TEXT', 'items[0].name.translations.en', withItem({ name: text('Soup &amp; bread') })],
  ['DUPLICATE_NAME', 'categories[0].itemExternalIds[1]', twoItems('CALDO VERDE ')],
  ['DUPLICATE_NAME', 'modifierGroups[0].modifierItemExternalIds[1]', withLarge({ name: text('Small') })],
  [
    'DUPLICATE_NAME',
    'menus[0].categoryExternalIds[1]',
    cleanMenu({
      menus: [menu({ categoryExternalIds: ['category', 'second'] })],
      categories: [category(), category({ externalId: 'second' })],
    }),
  ],
];

const prices: readonly Case[] = [
  ['NEGATIVE_PRICE', 'items[0].price', withItem({ price: -450, tax: 0 })],
  ['NEGATIVE_TAX', 'items[0].tax', withItem({ tax: -1 })],
  ['TAX_WITHOUT_PRICE', 'items[0].tax', withItem({ price: 0 })],
  ['TAX_WITHOUT_PRICE', 'modifierItems[1].taxChange', withLarge({ priceChange: 0 })],
  ['TAX_ABOVE_PRICE', 'items[0].tax', withItem({ tax: 451 })],
  ['TAX_ABOVE_PRICE', 'modifierItems[1].taxChange', withLarge({ taxChange: 151 })],
  ['PRICE_BELOW_ZERO', 'items[0].price', withLarge({ priceChange: -451, taxChange: -45 })],
  [
    'PRICE_BELOW_ZERO',
    'items[0].price',
    cleanMenu({
      modifierGroups: [group({ groupMin: 0, groupMax: 5 })],
      modifierItems: [small(), large({ priceChange: -100, taxChange: 0, maxQuantity: 1_000_000 })],
    }),
  ],
  [
    'PRICE_BELOW_ZERO',
    'items[0].price',
    cleanMenu({ items: [item({ price: 0, tax: 0 })], modifierItems: [small({ priceChange: -50 }), large()] }),
  ],
  ['FREE_ITEM', 'items[0].price', priced(0, 450)],
  [
    'FREE_ITEM',
    'items[0].price',
    cleanMenu({
      items: [item({ price: 0, tax: 0 })],
      modifierItems: [small(), large({ priceChange: 0, taxChange: 0 })],
    }),
  ],
  ['PRICE_OUT_OF_LINE', 'items[3].price', priced(400, 450, 500, 5)],
  ['PRICE_OUT_OF_LINE', 'items[3].price', priced(500, 500, 500, 10)],
  ['PRICE_OUT_OF_LINE', 'items[3].price', priced(500, 500, 500, 25_000)],
  ['PRICE_OUT_OF_LINE', 'items[0].price', priced(45_000, 400, 450, 500)],
  ['TAX_LOOKS_LIKE_RATE', 'items[0].tax', taxed(19, 100, 110, 120, 130, 200)],
];

const details: readonly Case[] = [
  ['ALCOHOL_OUT_OF_RANGE', 'items[0].alcoholByVolume', withItem({ alcoholByVolume: 100.5 })],
  ['ALCOHOL_OUT_OF_RANGE', 'items[0].alcoholByVolume', withItem({ alcoholByVolume: -1 })],
  ['ODD_PREP_TIME', 'items[0].preparationMinutes', withItem({ preparationMinutes: -5 })],
  ['ODD_PREP_TIME', 'items[0].preparationMinutes', withItem({ preparationMinutes: 1441 })],
  ['VEGAN_NOT_VEGETARIAN', 'items[0].dietaryLabels', withItem({ dietaryLabels: ['GLUTEN_FREE', 'VEGAN'] })],
];

export const cases: readonly Case[] = [
  ...reachability,
  ...modifiers,
  ...stock,
  ...availability,
  ...texts,
  ...prices,
  ...details,
];
