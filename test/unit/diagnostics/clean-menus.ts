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
  withMenu,
} from './menu-builder.ts';

const week = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const twice = (startTime: string, between: string, endTime: string) => ({
  dayOfWeek: 'MON',
  timePeriods: [
    { startTime, endTime: between },
    { startTime: between, endTime },
  ],
});

/** Configurations without findings. */
export const cleanMenus: readonly (readonly [string, ConfigurationInput])[] = [
  ['a whole menu', cleanMenu()],
  ['an empty configuration', { items: [] }],
  [
    'optional fields that are null',
    cleanMenu({
      menus: [menu({ name: null })],
      items: [
        item({
          description: null,
          inStock: null,
          preparationMinutes: null,
          alcoholByVolume: null,
          dietaryLabels: null,
        }),
      ],
    }),
  ],

  ['consecutive whole days', availableOn(...week.map(day => on(day, '00:00', '00:00')))],
  ['days that end at 24:00', availableOn(...week.map(day => on(day, '00:00', '24:00')))],
  ['a window that begins where another ends', withMenu({ availability: [twice('11:00', '15:00', '18:00')] })],
  ['windows past midnight that do not overlap', availableOn(...week.map(day => on(day, '18:00', '04:00')))],
  ['an evening until 23:59', availableOn(...week.map(day => on(day, '18:00', '23:59')))],
  [
    'a day without windows',
    withMenu({ availability: [on('MON', '11:00', '15:00'), { dayOfWeek: 'TUE', timePeriods: [] }] }),
  ],

  [
    'an optional group that is out of stock',
    cleanMenu({
      modifierGroups: [group({ groupMin: 0 })],
      modifierItems: [small({ inStock: false }), large({ inStock: false })],
    }),
  ],
  [
    'a required group with one modifier item in stock',
    cleanMenu({ modifierItems: [small({ inStock: false }), large()] }),
  ],
  ['a default that fills a required group', cleanMenu({ modifierItems: [small({ defaultQuantity: 1 }), large()] })],
  [
    'as many free selections as allowed, without prices',
    cleanMenu({
      modifierGroups: [group({ chargeAfter: 1 })],
      modifierItems: [small(), large({ priceChange: 0, taxChange: 0 })],
    }),
  ],
  [
    'one modifier item taken several times',
    cleanMenu({
      modifierGroups: [group({ groupMin: 3, groupMax: 3 })],
      modifierItems: [small({ maxQuantity: 2 }), large()],
    }),
  ],
  ['a chain of modifiers without a cycle', chain(5)],
  [
    'an item that is sold only as a modifier',
    cleanMenu({
      items: [item(), plain({ externalId: 'bread', sellSeparately: false })],
      modifierItems: [small(), large({ itemExternalId: 'bread' })],
    }),
  ],

  ['a regional language where other texts have none', withItem({ name: { translations: { en_GB: 'Soup' } } })],
  ['a language key in another case and with a script', withItem({ name: text('Soup', { 'ZH-hant-TW': '湯' }) })],
  ['a language that few texts have', withItem({ name: text('Soup', { pt: 'Sopa' }) })],
  ['Portuguese in capitals', withItem({ name: text('PÃO, MAÇÃ E ÂMBAR «À LA CARTE»') })],
  ['an ampersand and "<3"', withItem({ name: text('Fish & chips <3') })],
  [
    'one name in two categories',
    cleanMenu({
      menus: [menu({ categoryExternalIds: ['category', 'second'] })],
      categories: [category(), category({ externalId: 'second', name: text('Sweets'), itemExternalIds: ['sweet'] })],
      items: [item(), plain({ externalId: 'sweet' })],
    }),
  ],
  ['a name that is the start of another name', twoItems('Caldo')],

  ['the price of a bottle among prices of glasses', priced(400, 450, 500, 9000)],
  ['three prices that are far apart', priced(5, 450, 45_000)],
  ['one tax at one price', taxed(45, 450, 450, 450, 450, 500)],
  ['one tax at few prices', taxed(45, 450, 900, 1350, 1800)],
  ['an item whose price comes from its size', withItem({ price: 0, tax: 0 })],
  [
    'a reduction of the price to 0',
    cleanMenu({ modifierItems: [small({ priceChange: -450, taxChange: -45 }), large()] }),
  ],
  [
    'a free item that is sold only as a modifier',
    cleanMenu({
      items: [item(), plain({ externalId: 'bread', price: 0, sellSeparately: false })],
      modifierItems: [small(), large({ itemExternalId: 'bread' })],
    }),
  ],
  ['vegan and vegetarian', withItem({ dietaryLabels: ['VEGAN', 'VEGETARIAN'] })],
  [
    'alcohol contents of 0 and 100 per cent',
    cleanMenu({
      ...twoItems('Poncha'),
      items: [
        item({ alcoholByVolume: 0 }),
        plain({ externalId: 'second', name: text('Poncha'), alcoholByVolume: 100 }),
      ],
    }),
  ],
  ['a day of preparation', withItem({ preparationMinutes: 1440 })],
  ['no preparation', withItem({ preparationMinutes: 0 })],
  ['a group in which nothing is free', withGroup({ chargeAfter: 0 })],
];
