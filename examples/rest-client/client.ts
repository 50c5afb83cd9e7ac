/**
 * Calls all nine routes with a client whose types are generated from the service's OpenAPI document:
 *   npm run generate && CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… npm start -- lisbon-baixa
 */
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

const [storeId = 'lisbon-baixa'] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: process.env.CARTE_URL ?? 'http://127.0.0.1:4000',
  headers: { 'x-api-key': process.env.CARTE_KEY ?? '' },
});

/** Returns the body of a successful response; throws with the `detail` of an error. */
async function bodyOf<Body>(call: Promise<{ data?: Body; error?: unknown; response: Response }>): Promise<Body> {
  const { data, error, response } = await call;
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

const store = { path: { store_service_id: storeId } };

const merchants = await bodyOf(client.GET('/v1/merchants/', { params: { query: { limit: 10 } } }));
const merchantId = merchants[0]?.id ?? '';
const merchant = await bodyOf(
  client.GET('/v1/merchants/{merchant_service_id}', { params: { path: { merchant_service_id: merchantId } } }),
);
const stores = await bodyOf(client.GET('/v1/stores/', { params: { query: { skip: 0, limit: 100 } } }));
const found = await bodyOf(client.GET('/v1/stores/{store_service_id}', { params: store }));

const orders = await bodyOf(
  client.GET('/v1/stores/{store_service_id}/orders/', { params: { ...store, query: { page_size: 5 } } }),
);
const orderId = orders.order_result_list?.[0]?.id ?? '';
const order = await bodyOf(
  client.GET('/v1/orders/{order_service_id}', { params: { path: { order_service_id: orderId } } }),
);

const flat = await bodyOf(client.GET('/v1/stores/{store_service_id}/menu_configuration/flat', { params: store }));
const tree = await bodyOf(client.GET('/v1/stores/{store_service_id}/menu_configuration/', { params: store }));
// The flat configuration can be posted unchanged.
const posted = await bodyOf(
  client.POST('/v1/stores/{store_service_id}/menu_configuration/', {
    params: store,
    body: { ...flat, items: flat.items ?? [] },
  }),
);

console.log(`${merchants.length} merchants, the first is ${merchant.brand_name}`);
console.log(`${stores.length} stores; ${found.id} is in ${found.city ?? 'no city'}`);
console.log(`${orders.count} orders; the latest is ${order.status} for ${order.customer.name}`);
console.log(`${flat.items?.length ?? 0} items in ${tree.menu_configuration.length} menus`);
console.log(`posted again: ${JSON.stringify(posted) === JSON.stringify(tree) ? 'the same tree' : 'another tree'}`);
