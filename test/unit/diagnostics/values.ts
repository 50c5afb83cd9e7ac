import {
  category,
  fineMenu,
  item,
  large,
  menu,
  on,
  onSale,
  priced,
  small,
  taxed,
  text,
  twoItems,
  withItem,
  withLarge,
  withMenu,
} from './menu.ts';
import type { Found } from './structure.ts';

const availability: readonly Found[] = [
  ['MENU_NEVER_ON_SALE', 'menus[0].availability', onSale()],
  ['MENU_NEVER_ON_SALE', 'menus[0].availability', withMenu({ availability: [{ dayOfWeek: 'MON', timePeriods: [] }] })],
  ['UNKNOWN_DAY', 'menus[0].availability[0].dayOfWeek', onSale(on('LUNES', '11:00', '15:00'))],
  ['UNKNOWN_TIME', 'menus[0].availability[0].timePeriods[0].startTime', onSale(on('MON', '9:00', '15:00'))],
  ['UNKNOWN_TIME', 'menus[0].availability[0].timePeriods[0].endTime', onSale(on('MON', '09:00', '3 pm'))],
  [
    'DUPLICATE_DAY',
    'menus[0].availability[1].dayOfWeek',
    onSale(on('MON', '11:00', '15:00'), on('monday', '18:00', '22:00')),
  ],
  ['AMBIGUOUS_WINDOW', 'menus[0].availability[0].timePeriods[0]', onSale(on('MON', '10:00', '10:00'))],
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
    onSale(on('MON', '22:00', '04:00'), on('TUE', '03:00', '05:00')),
  ],
  [
    'OVERLAPPING_WINDOWS',
    'menus[0].availability[0].timePeriods[0]',
    onSale(on('MON', '03:00', '05:00'), on('SUN', '22:00', '04:00')),
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
    'LAST_MINUTE_OFF_SALE',
    'menus[0].availability[0].timePeriods[0].endTime',
    onSale(on('SUN', '00:00', '23:59'), on('MON', '00:00', '23:59')),
  ],
];

const texts: readonly Found[] = [
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
    fineMenu({
      menus: [menu({ categoryExternalIds: ['category', 'second'] })],
      categories: [category(), category({ externalId: 'second' })],
    }),
  ],
];

const amounts: readonly Found[] = [
  ['NEGATIVE_PRICE', 'items[0].price', withItem({ price: -450, tax: 0 })],
  ['NEGATIVE_TAX', 'items[0].tax', withItem({ tax: -1 })],
  ['TAX_WITHOUT_PRICE', 'items[0].tax', withItem({ price: 0 })],
  ['TAX_WITHOUT_PRICE', 'modifierItems[1].taxChange', withLarge({ priceChange: 0 })],
  ['TAX_ABOVE_PRICE', 'items[0].tax', withItem({ tax: 451 })],
  ['TAX_ABOVE_PRICE', 'modifierItems[1].taxChange', withLarge({ taxChange: 151 })],
  ['PRICE_BELOW_ZERO', 'items[0].price', withLarge({ priceChange: -451, taxChange: -45 })],
  ['FREE_ITEM', 'items[0].price', priced(0, 450)],
  [
    'FREE_ITEM',
    'items[0].price',
    fineMenu({
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

const details: readonly Found[] = [
  ['ALCOHOL_OUT_OF_RANGE', 'items[0].alcoholByVolume', withItem({ alcoholByVolume: 100.5 })],
  ['ALCOHOL_OUT_OF_RANGE', 'items[0].alcoholByVolume', withItem({ alcoholByVolume: -1 })],
  ['ODD_PREP_TIME', 'items[0].prepTime', withItem({ prepTime: -5 })],
  ['ODD_PREP_TIME', 'items[0].prepTime', withItem({ prepTime: 1441 })],
  ['VEGAN_NOT_VEGETARIAN', 'items[0].dietaryLabels', withItem({ dietaryLabels: ['GLUTEN_FREE', 'VEGAN'] })],
];

export const inValues = [...availability, ...texts, ...amounts, ...details];
