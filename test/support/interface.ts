/** The documented types, in the document's own words and order: `name type R|O`. */
const documentedTypes = `
MultilingualText: translations map-of-string R
Availability: day_of_week string R, time_periods list-of-TimePeriodsRequest R
TimePeriodsRequest: start_time string R, end_time string R

MenuItemRequest: external_id string R, name MultilingualText R, price integer R, tax integer R, sell_separately boolean R, description MultilingualText O, in_stock boolean O, ingredients string O, allergens string O, dietary_labels list-of-DietaryLabel O, prep_time integer O, alcohol_by_volume double O, modifier_external_ids list-of-string O
MenuRequest: external_id string R, availability list-of-Availability R, name MultilingualText O, category_external_ids list-of-string O
CategoryRequest: external_id string R, name MultilingualText R, description MultilingualText O, item_external_ids list-of-string O
ModifierGroupRequest: external_id string R, type string R, name MultilingualText R, group_max integer R, group_min integer R, charge_after integer R, description MultilingualText O, modifier_item_external_ids list-of-string O
ModifierItem: external_id string R, name MultilingualText R, price_change integer R, tax_change integer R, min_quantity integer R, max_quantity integer R, default_quantity integer R, menu_item_external_id string O, description MultilingualText O, in_stock boolean O

MenuTree: id integer R, external_id string R, name MultilingualText R, categories list-of-CategoryTree R, availability list-of-Availability R
CategoryTree: id integer R, external_id string R, name MultilingualText R, items list-of-MenuItemTree R, description MultilingualText O
MenuItemTree: id integer R, external_id string R, name MultilingualText R, price integer R, tax integer R, in_stock boolean R, sell_separately boolean R, modifier_groups list-of-ModifierGroupTree R, description MultilingualText O, ingredients string O, allergens string O, dietary_labels list-of-DietaryLabel O, prep_time integer O, alcohol_by_volume double O, prep_type string O
ModifierGroupTree: id integer R, external_id string R, type string R, name MultilingualText R, group_max integer R, group_min integer R, charge_after integer R, modifier_items list-of-ModifierItemTree R, description MultilingualText O
ModifierItemTree: id integer R, external_id string R, name MultilingualText R, price_change integer R, tax_change integer R, in_stock boolean R, min_quantity integer R, max_quantity integer R, default_quantity integer R, menu_item_external_id string O, description MultilingualText O

MenuFlat: external_id string R, availability list-of-Availability R, id integer R, name MultilingualText O, category_external_ids list-of-string O
CategoryFlat: external_id string R, name MultilingualText R, id integer R, description MultilingualText O, item_external_ids list-of-string O
MenuItemFlat: external_id string R, name MultilingualText R, price integer R, tax integer R, sell_separately boolean R, id integer R, description MultilingualText O, in_stock boolean O, ingredients string O, allergens string O, dietary_labels list-of-DietaryLabel O, prep_time integer O, alcohol_by_volume double O, modifier_external_ids list-of-string O
ModifierGroupFlat: external_id string R, type string R, name MultilingualText R, group_max integer R, group_min integer R, charge_after integer R, id integer R, description MultilingualText O, modifier_item_external_ids list-of-string O
ModifierItemFlat: external_id string R, name MultilingualText R, price_change integer R, tax_change integer R, min_quantity integer R, max_quantity integer R, default_quantity integer R, id integer R, menu_item_external_id string O, description MultilingualText O, in_stock boolean O

Order: created_at datetime R, id string R, store StorePartialInfo R, customer Customer R, status OrderStatus R, price integer R, tax integer R, items list-of-map R, ready_by datetime R, is_read boolean R, in_pos boolean R, customer_comments string O, completed_at datetime O
StorePartialInfo: created_at datetime R, id string R, name map-of-map-of-string R, external_id string O
Customer: name string R, phone string R

Store: id string R, name map R, created_at datetime O, external_id string O, store_phone string O, contacts map O, address_line_1 string O, address_line_2 string O, address_line_3 string O, timezone string O, city string O, postal_code string O, country string O, location_name string O, admin_area string O, phone_numbers list-of-PhoneNumber O, merchant MerchantResponse O, store_type StoreTypeSchema O, restaurant_configuration RestaurantConfigurationResponse O
PhoneNumber: id string R, phone_number string R, create_date_time datetime R
StoreTypeSchema: content string O, business_type BusinessTypeSchema O
RestaurantConfigurationResponse: cuisine_type CuisineTypeSchema O
BusinessTypeSchema: name string R
CuisineTypeSchema: name string R
MerchantResponse: created_at datetime R, id string R, brand_name string R, business_type BusinessTypeSchema O

CreateMenuConfigurationRequest: items list-of-MenuItemRequest R, menus list-of-MenuRequest O, categories list-of-CategoryRequest O, modifier_groups list-of-ModifierGroupRequest O, modifier_items list-of-ModifierItem O
CreateMenuConfigurationResponse: menu_configuration list-of-MenuTree R
GetMenuConfigurationResponse: menu_configuration list-of-MenuTree R
GetMenuConfigurationFlatResponse: menus list-of-MenuFlat O, categories list-of-CategoryFlat O, items list-of-MenuItemFlat O, modifier_groups list-of-ModifierGroupFlat O, modifier_items list-of-ModifierItemFlat O
ListOrdersResponse: page_index integer R, page_size integer R, count integer R, result_code string O, result_message string O, order_result_list list-of-Order O
GetOrderResponse: created_at datetime R, id string R, store StorePartialInfo R, customer Customer R, status OrderStatus R, price integer R, tax integer R, items list-of-map R, ready_by datetime R, is_read boolean R, in_pos boolean R, customer_comments string O, completed_at datetime O, result_code string R, result_message string R
`;

export const documentedEnums = {
  DietaryLabel: ['VEGAN', 'VEGETARIAN', 'GLUTEN_FREE'],
  OrderStatus: ['PENDING', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'ACCEPTED', 'REJECTED', 'READY', 'FULFILLED'],
};

/** Method, path, operation, parameters (`place name type`), type of the body. */
const documentedRoutes = `
POST /v1/stores/{store_service_id}/menu_configuration/ | createMenuConfiguration | path store_service_id string | CreateMenuConfigurationResponse
GET /v1/stores/{store_service_id}/menu_configuration/ | getMenuConfiguration | path store_service_id string | GetMenuConfigurationResponse
GET /v1/stores/{store_service_id}/menu_configuration/flat | getMenuConfigurationFlat | path store_service_id string | GetMenuConfigurationFlatResponse
GET /v1/stores/{store_service_id}/orders/ | listOrders | path store_service_id string, query start_time datetime, query end_time datetime, query customer_name string, query phone_number string, query status list-of-OrderStatus, query page_index integer, query page_size integer | ListOrdersResponse
GET /v1/orders/{order_service_id} | getOrder | path order_service_id string | GetOrderResponse
GET /v1/stores/{store_service_id} | getStore | path store_service_id string | Store
GET /v1/stores/ | listStores | query skip integer, query limit integer | list-of-Store
GET /v1/merchants/ | listMerchants | query skip integer, query limit integer | list-of-MerchantResponse
GET /v1/merchants/{merchant_service_id} | getMerchant | path merchant_service_id string | MerchantResponse
`;

export interface DocumentedField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

const lines = (text: string) => text.split('\n').filter(line => line.trim() !== '');

export const types: ReadonlyMap<string, readonly DocumentedField[]> = new Map(
  lines(documentedTypes).map(line => {
    const [name = '', fields = ''] = line.split(': ');
    return [name, fields.split(', ').map(parseField)];
  }),
);

function parseField(text: string): DocumentedField {
  const [name = '', type = '', need = ''] = text.split(' ');
  return { name, type, required: need === 'R' };
}

export const routes = lines(documentedRoutes).map(line => {
  const [place = '', operation = '', parameters = '', body = ''] = line.split(' | ');
  const [method = '', path = ''] = place.split(' ');
  return { method, path, operation, parameters: parameters.split(', '), body };
});
