import type { ConfigurationInput } from '../../src/menu/kinds.ts';

/** Numbers of entities, and of references in each item and each modifier group. */
export interface MenuSize {
  readonly categories: number;
  readonly items: number;
  readonly groups: number;
  readonly modifierItems: number;
  readonly groupsPerItem: number;
  readonly modifierItemsPerGroup: number;
}

/** Close to all of the default limits: 20,000 entities, some 150,000 links and 490,000 nodes in the tree. */
export const largestMenu: MenuSize = {
  categories: 199,
  items: 9_800,
  groups: 5_000,
  modifierItems: 5_000,
  groupsPerItem: 12,
  modifierItemsPerGroup: 3,
};

/** Returns a menu of this size, in which each entity is listed as often as any other of its kind. */
export function menuOfSize(size: MenuSize): ConfigurationInput {
  const name = (text: string) => ({ translations: { en: text, pt: `${text} à moda da casa` } });
  const many = <T>(length: number, create: (index: number) => T) => Array.from({ length }, (_, index) => create(index));
  /** Takes `count` ids from a list that begins again at its end. */
  const take = (kind: string, { from, count, of }: { from: number; count: number; of: number }) =>
    many(count, index => `${kind}-${(from + index) % of}`);
  const { categories, items, groups, modifierItems, groupsPerItem, modifierItemsPerGroup } = size;
  return {
    menus: [
      {
        externalId: 'menu',
        name: name('All day'),
        availability: [{ dayOfWeek: 'MON', timePeriods: [{ startTime: '08:00', endTime: '23:00' }] }],
        categoryExternalIds: take('category', { from: 0, count: categories, of: categories }),
      },
    ],
    categories: many(categories, at => {
      const from = Math.floor((at * items) / categories);
      const count = Math.floor(((at + 1) * items) / categories) - from;
      const itemExternalIds = take('item', { from, count, of: items });
      return { externalId: `category-${at}`, name: name(`Category ${at}`), itemExternalIds };
    }),
    items: many(items, at => ({
      externalId: `item-${at}`,
      name: name(`Item ${at}`),
      description: name(`What item ${at} is made of`),
      price: 500 + at,
      tax: 50,
      sellSeparately: true,
      modifierGroupExternalIds: take('group', { from: at * groupsPerItem, count: groupsPerItem, of: groups }),
    })),
    modifierGroups: many(groups, at => ({
      externalId: `group-${at}`,
      type: 'CHOICE',
      name: name(`Group ${at}`),
      groupMin: 0,
      groupMax: 1,
      chargeAfter: 0,
      modifierItemExternalIds: take('modifier', {
        from: at * modifierItemsPerGroup,
        count: modifierItemsPerGroup,
        of: modifierItems,
      }),
    })),
    modifierItems: many(modifierItems, at => ({
      externalId: `modifier-${at}`,
      name: name(`Modifier ${at}`),
      priceChange: at % 100,
      taxChange: 0,
      minQuantity: 0,
      maxQuantity: 1,
      defaultQuantity: 0,
    })),
  };
}
