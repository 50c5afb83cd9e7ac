/** A named statement is planned once per connection. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

const text = 'json_build_object';

const availability = `
  (select json_agg(${text}('day_of_week', day ->> 'dayOfWeek', 'time_periods', (
    select json_agg(${text}('start_time', period ->> 'startTime', 'end_time', period ->> 'endTime'))
    from json_array_elements(day -> 'timePeriods') period
  ))) from json_array_elements(availability) day) as availability`;

const list = (table: string, columns: string) => `(
  select json_agg(each) from (select ${columns} from ${table} where store_id = s.id order by position) each)`;

const itemColumns = `external_id, name, price, tax, sell_separately, id, description, in_stock, ingredients, allergens,
  dietary_labels, prep_time, alcohol_by_volume, modifier_external_ids`;

/** A store's configuration as its five lists. */
const lists = (name: string, ofItems: string): Statement => ({
  name,
  text: `select menu_revision::text as tag, ${text}(
    'menus', ${list('menu', `external_id, ${availability}, id, name, category_external_ids`)},
    'categories', ${list('category', 'external_id, name, id, description, item_external_ids')},
    'items', ${list('menu_item', ofItems)},
    'modifier_groups', ${list(
      'modifier_group',
      `external_id, type, name, group_max, group_min, charge_after, id, description, modifier_item_external_ids`,
    )},
    'modifier_items', ${list(
      'modifier_item',
      `external_id, name, price_change, tax_change, min_quantity, max_quantity, default_quantity, id,
       menu_item_external_id, description, in_stock`,
    )})::text as body from store s where id = $1`,
});

const orderColumns = `
  o.created_at, o.id, ${text}('created_at', s.created_at, 'id', s.id, 'name', s.name, 'external_id', s.external_id) as store,
  ${text}('name', o.customer_name, 'phone', o.customer_phone) as customer, o.status, o.price, o.tax, o.items, o.ready_by,
  o.is_read, o.in_pos, o.customer_comments, o.completed_at`;
const success = `'000000' as result_code, 'Success' as result_message`;

/** A page selects ids from an index before it reads rows; the count scans an index. */
const page = (name: string, condition: string): Statement => ({
  name,
  text: `select row_to_json(answer)::text as body from (
    select $2::int as page_index, $3::int as page_size,
      (select count(*) from orders where store_id = s.id ${condition}) as count, ${success}, (
        select json_agg(each) from (
          select ${orderColumns} from (
            select id from orders where store_id = s.id ${condition}
            order by created_at desc, id desc offset $2::bigint * $3 limit $3
          ) picked join orders o using (id) order by o.created_at desc, o.id desc
        ) each
      ) as order_result_list
    from store s where s.id = $1) answer`,
});

const storeColumns = `
  s.id, s.name, s.created_at, s.external_id, s.store_phone, s.contacts, s.address_line_1, s.address_line_2,
  s.address_line_3, s.timezone, s.city, s.postal_code, s.country, s.location_name, s.admin_area, (
    select json_agg(${text}('id', number -> 'id', 'phone_number', number -> 'phoneNumber',
      'create_date_time', number -> 'createDateTime')) from json_array_elements(s.phone_numbers) number
  ) as phone_numbers,
  ${text}('created_at', m.created_at, 'id', m.id, 'brand_name', m.brand_name, 'business_type', m.business_type) as merchant,
  ${text}('content', s.store_type -> 'content', 'business_type', s.store_type -> 'businessType') as store_type,
  ${text}('cuisine_type', s.restaurant_configuration -> 'cuisineType') as restaurant_configuration
  from store s left join merchant m on m.id = s.merchant_id`;

const one = (name: string, select: string): Statement => ({
  name,
  text: `select row_to_json(answer)::text as body from (select ${select} = $1) answer`,
});
const many = (name: string, select: string, order: string): Statement => ({
  name,
  text: `select coalesce(json_agg(each), '[]')::text as body from (select ${select} order by ${order} offset $1 limit $2) each`,
});

export const statements = {
  flat: lists('flat', itemColumns),
  tree: lists('tree', `${itemColumns}, prep_type`),
  revision: { name: 'revision', text: 'select menu_revision::text as tag from store where id = $1' },
  orders: page('orders', ''),
  ordersOfStatus: page('orders_of_status', 'and status = any($4)'),
  order: one('order', `${orderColumns}, ${success} from orders o join store s on s.id = o.store_id where o.id`),
  store: one('store', `${storeColumns} where s.id`),
  stores: many('stores', storeColumns, 's.created_at, s.id'),
  merchants: many('merchants', 'created_at, id, brand_name, business_type from merchant', 'created_at, id'),
} satisfies Record<string, Statement>;
