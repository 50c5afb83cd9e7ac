import { seededRandom } from '../../src/demo/random.ts';

/** Number of entities of each kind. Items share groups; each group has its own modifier items. */
export interface MenuShape {
  readonly menus: number;
  readonly categories: number;
  readonly items: number;
  readonly groups: number;
  readonly groupsAnItem: number;
  readonly modifiersAGroup: number;
}

export const midMenu: MenuShape = {
  menus: 5,
  categories: 40,
  items: 400,
  groups: 120,
  groupsAnItem: 3,
  modifiersAGroup: 8,
};

export const smallMenu: MenuShape = {
  menus: 1,
  categories: 6,
  items: 40,
  groups: 10,
  groupsAnItem: 2,
  modifiersAGroup: 5,
};

const words = {
  en: ['grilled', 'smoked', 'rice', 'lemon', 'pepper', 'cheese', 'house', 'fresh', 'onion', 'crispy', 'garden', 'warm'],
  pt: ['grelhado', 'fumado', 'arroz', 'limão', 'pimenta', 'queijo', 'casa', 'fresco', 'cebola', 'estaladiço', 'horta'],
};
const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** Builds the body of a POST; every text in it contains the mark. The same seed gives the same menu. */
export function menuOf(shape: MenuShape, { seed, mark }: { readonly seed: string; readonly mark: string }) {
  const random = seededRandom(seed);
  const text = (length: number) => {
    const translate = (known: readonly string[]) =>
      [mark, ...Array.from({ length }, () => random.pick(known))].join(' ');
    return { translations: { en: translate(words.en), pt: translate(words.pt) } };
  };
  const categories = ids('category', shape.categories);
  const items = ids('item', shape.items);
  const groups = ids('group', shape.groups);
  const modifiers = ids('modifier', shape.groups * shape.modifiersAGroup);
  return {
    menus: ids('menu', shape.menus).map((external_id, at) => ({
      external_id,
      name: text(1),
      availability: days.map(day_of_week => ({
        day_of_week,
        time_periods: [{ start_time: '08:00', end_time: '23:30' }],
      })),
      category_external_ids: share(categories, at, shape.menus),
    })),
    categories: categories.map((external_id, at) => ({
      external_id,
      name: text(2),
      description: text(6),
      item_external_ids: share(items, at, shape.categories),
    })),
    items: items.map((external_id, at) => ({
      external_id,
      name: text(3),
      description: text(10),
      price: random.between(200, 3000),
      tax: random.between(10, 300),
      in_stock: random.chance(0.95),
      sell_separately: true,
      allergens: 'gluten, milk',
      dietary_labels: random.chance(0.2) ? ['VEGETARIAN'] : [],
      prep_time: random.between(1, 30),
      modifier_external_ids: ids('group', shape.groupsAnItem).map(
        (_, number) => `group-${(at * shape.groupsAnItem + number) % shape.groups}`,
      ),
    })),
    modifier_groups: groups.map((external_id, at) => ({
      external_id,
      type: 'CHOICE',
      name: text(2),
      group_min: 0,
      group_max: random.between(1, 3),
      charge_after: 0,
      modifier_item_external_ids: share(modifiers, at, shape.groups),
    })),
    modifier_items: modifiers.map(external_id => ({
      external_id,
      name: text(1),
      description: text(2),
      price_change: random.between(0, 200),
      tax_change: random.between(0, 20),
      min_quantity: 0,
      max_quantity: random.between(1, 3),
      default_quantity: 0,
    })),
  };
}

const ids = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `${kind}-${at}`);

/** Returns the slice of a list for one of several parts. */
function share<T>(list: readonly T[], at: number, of: number): T[] {
  return list.slice(Math.floor((at * list.length) / of), Math.floor(((at + 1) * list.length) / of));
}
