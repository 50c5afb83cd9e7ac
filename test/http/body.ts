/** A small menu configuration, as a POS system posts it. */
export function smallBody(text: string) {
  const name = { translations: { en: text } };
  return {
    menus: [{ external_id: 'menu', name, availability: [], category_external_ids: ['category'] }],
    categories: [{ external_id: 'category', name, item_external_ids: ['item'] }],
    items: [{ external_id: 'item', name, price: 950, tax: 95, sell_separately: true, modifier_external_ids: [] }],
    modifier_groups: [],
    modifier_items: [],
  };
}
