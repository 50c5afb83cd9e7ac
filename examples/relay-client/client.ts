/**
 * Pages through the orders of a store in both directions with Relay's store and connections:
 *   CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… npm run generate && npm start -- lisbon-baixa 20
 */
import { fetchQuery } from 'relay-runtime';
import menuQuery, { type StoreOrdersMenuQuery } from './__generated__/StoreOrdersMenuQuery.graphql.ts';
import { createEnvironment } from './environment.ts';
import { openOrders } from './store-orders.ts';

const [store = 'lisbon-baixa', size = '20'] = process.argv.slice(2);

for (const direction of ['forward', 'backward'] as const) {
  const orders = await openOrders(createEnvironment(), store, direction, Number(size));
  const lengths = [orders.read().edges.length];
  while (orders.hasMore()) lengths.push((await orders.loadMore()).edges.length);
  const loaded = orders.read().edges.map(({ node }) => node.createdAt);
  const isSorted = loaded.every((time, index) => index === 0 || time <= (loaded[index - 1] ?? ''));
  console.log(`${direction}: ${lengths.join(', ')} orders${isSorted ? ', newest first' : ''}`);
  const { edges, totalCount } = await orders.refetch();
  console.log(`refetched: ${edges.length} of ${totalCount} orders`);
}

const environment = createEnvironment();
const menu = await fetchQuery<StoreOrdersMenuQuery>(environment, menuQuery, { store }).toPromise();
const { id, merchant, items = [], modifierItems = [] } = menu?.store ?? {};
console.log(`store ${id} of merchant ${merchant?.id}, ${merchant?.brandName}`);
console.log(`items: ${items.map(item => item.externalId).join(', ')}`);
console.log(`modifier items: ${modifierItems.map(item => item.externalId).join(', ')}`);
