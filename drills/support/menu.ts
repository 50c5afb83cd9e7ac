const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** A menu with the category `food`, available at any time. */
export const openMenu = {
  external_id: 'menu',
  availability: days.map(day_of_week => ({ day_of_week, time_periods: [{ start_time: '00:00', end_time: '00:00' }] })),
  category_external_ids: ['food'],
};

const soup = { translations: { en: 'Soup' } };

/** The body of a menu whose one item, `soup`, can be ordered at any time. */
export const orderableMenu = {
  items: [{ external_id: 'soup', name: soup, price: 500, tax: 50, sell_separately: true }],
  categories: [{ external_id: 'food', name: soup, item_external_ids: ['soup'] }],
  menus: [openMenu],
};

/** Builds a configuration in which every text contains the writer's mark. */
export function configuration(mark: string, size: number) {
  const name = { translations: { en: mark } };
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const items = ids('i', size);
  const group = { external_id: 'g', type: 'T', name, group_min: 0, group_max: 1, charge_after: 0 };
  const quantities = { min_quantity: 0, max_quantity: 1, default_quantity: 0 };
  return {
    menus: [{ external_id: 'm', name, availability: [], category_external_ids: ids('c', 5) }],
    categories: ids('c', 5).map(external_id => ({ external_id, name, item_external_ids: items })),
    items: items.map(external_id => ({
      ...{ external_id, name, price: 1, tax: 0 },
      sell_separately: true,
      modifier_external_ids: ['g'],
    })),
    modifier_groups: [{ ...group, modifier_item_external_ids: ['x'] }],
    modifier_items: [{ external_id: 'x', name, price_change: 0, tax_change: 0, ...quantities }],
  };
}

export const marksIn = (text: string): readonly string[] => [...new Set(text.match(/w\d+-\d+/g) ?? [])];

export const revisionIn = (etag: string | null): number => Number(/^"(\d+)-/.exec(etag ?? '')?.[1]);
