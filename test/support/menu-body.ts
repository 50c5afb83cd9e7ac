/** A POST body that uses every documented field once; `fewest` leaves out what is optional. */
export function fullBody() {
  const name = (text: string) => ({ translations: { en: text, es_es: `${text} ñ` } });
  return {
    items: [
      {
        external_id: 'espresso',
        name: name('Espresso'),
        price: 180,
        tax: 18,
        sell_separately: true,
        description: name('Short and black'),
        in_stock: false,
        ingredients: 'Coffee, water',
        allergens: 'None',
        dietary_labels: ['VEGAN', 'GLUTEN_FREE'],
        prep_time: 2,
        alcohol_by_volume: 0.5,
        modifier_external_ids: ['cup'],
      },
      { external_id: 'water', name: name('Water'), price: 0, tax: 0, sell_separately: false },
    ],
    menus: [
      {
        external_id: 'all-day',
        availability: [{ day_of_week: 'MON', time_periods: [{ start_time: '08:00', end_time: '17:30' }] }],
        name: name('All day'),
        category_external_ids: ['coffee'],
      },
      { external_id: 'nameless', availability: [] },
    ],
    categories: [
      {
        external_id: 'coffee',
        name: name('Coffee'),
        description: name('Hot'),
        item_external_ids: ['espresso', 'water'],
      },
    ],
    modifier_groups: [
      {
        external_id: 'cup',
        type: 'CHOICE',
        name: name('Cup'),
        group_max: 1,
        group_min: 0,
        charge_after: 0,
        description: name('Which cup'),
        modifier_item_external_ids: ['to-go'],
      },
    ],
    modifier_items: [
      {
        external_id: 'to-go',
        name: name('To go'),
        price_change: -20,
        tax_change: -2,
        min_quantity: 0,
        max_quantity: 1,
        default_quantity: 0,
        menu_item_external_id: 'water',
        description: name('In paper'),
        in_stock: true,
      },
    ],
  };
}
