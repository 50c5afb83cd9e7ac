/** Number of entities of a menu configuration; each item has two modifier groups with four modifier items each. */
export interface MenuSize {
  readonly categories: number;
  readonly items: number;
  readonly groups: number;
}

const modifiersAGroup = 4;
const groupsAnItem = 2;

/** 20,000 entities, the most that the service accepts by default, and some 200,000 nodes in the tree. */
export const largestMenu: MenuSize = { categories: 199, items: 18_300, groups: 300 };
export const tenthMenu: MenuSize = { categories: 19, items: 1_830, groups: 30 };
export const smallMenu: MenuSize = { categories: 6, items: 60, groups: 10 };

const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const allDay = days.map(day_of_week => ({
  day_of_week,
  time_periods: [{ start_time: '00:00', end_time: '00:00' }],
}));

/** Builds the body of a POST; configurations with different prices differ in every third item. */
export function menuOf({ categories, items, groups }: MenuSize, priceOf: number) {
  const itemIds = idsOf('item', items);
  const modifierIds = idsOf('modifier', groups * modifiersAGroup);
  const nameOf = (id: string) => ({ translations: { en: `House ${id}`, pt: `${id} da casa` } });
  return {
    menus: [
      {
        external_id: 'menu',
        name: nameOf('menu'),
        availability: allDay,
        category_external_ids: idsOf('category', categories),
      },
    ],
    categories: idsOf('category', categories).map((external_id, at) => ({
      external_id,
      name: nameOf(external_id),
      item_external_ids: partOf(itemIds, at, categories),
    })),
    items: itemIds.map((external_id, at) => ({
      external_id,
      name: nameOf(external_id),
      description: { translations: { en: 'Grilled, with rice and lemon' } },
      price: 500 + (at % 700) + (at % 3 === 0 ? priceOf : 0),
      tax: 50,
      sell_separately: true,
      prep_time: 10,
      modifier_external_ids: idsOf('group', groupsAnItem).map(
        (_, number) => `group-${(at * groupsAnItem + number) % groups}`,
      ),
    })),
    modifier_groups: idsOf('group', groups).map((external_id, at) => ({
      external_id,
      type: 'CHOICE',
      name: nameOf(external_id),
      group_min: 0,
      group_max: 10,
      charge_after: 0,
      modifier_item_external_ids: partOf(modifierIds, at, groups),
    })),
    modifier_items: modifierIds.map(external_id => ({
      external_id,
      name: nameOf(external_id),
      price_change: 20,
      tax_change: 2,
      min_quantity: 0,
      max_quantity: 3,
      default_quantity: 0,
    })),
  };
}

/** A menu with one item for 500: modifiers of the first group take 100 off its price, those of the second off its tax, a million times. */
export function rebateMenu() {
  const { modifier_groups, modifier_items, items, ...rest } = menuOf({ categories: 1, items: 1, groups: 2 }, 0);
  return {
    ...rest,
    items: items.map(item => ({ ...item, price: 500 })),
    modifier_groups: modifier_groups.map(group => ({ ...group, group_max: 1_000_000 })),
    modifier_items: modifier_items.map((modifier, at) => ({
      ...modifier,
      ...(at < modifiersAGroup ? { price_change: -100, tax_change: 0 } : { price_change: 0, tax_change: -100 }),
      max_quantity: 1_000_000,
    })),
  };
}

export const idsOf = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `${kind}-${at}`);

/** Returns the slice of a list for one of several parts. */
function partOf<T>(list: readonly T[], at: number, of: number): T[] {
  return list.slice(Math.floor((at * list.length) / of), Math.floor(((at + 1) * list.length) / of));
}
