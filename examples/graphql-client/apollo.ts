/**
 * Reads the same with Apollo Client, whose cache merges the pages of a connection and has each entity once:
 *   npm run generate && CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… npm run apollo -- lisbon-baixa 100
 */
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { StoreMenuDocument, StoreOrdersDocument } from './operations.ts';

const [store = 'lisbon-baixa', first = '100'] = process.argv.slice(2);
const cache = new InMemoryCache({
  typePolicies: {
    // One list for each filter, whichever pages of it are loaded.
    Store: { fields: { orders: relayStylePagination(['filter']) } },
    // Unique within their store alone.
    PhoneNumber: { keyFields: false },
    // Without an id: queries in other languages add theirs, and do not replace it.
    MultilingualText: { merge: true },
  },
});
const client = new ApolloClient({
  cache,
  link: new HttpLink({
    uri: `${process.env.CARTE_URL ?? 'http://127.0.0.1:4000'}/graphql`,
    headers: { 'x-api-key': process.env.CARTE_KEY ?? '' },
  }),
});

/** Loads all pages of a list; a component would load the next one when its user scrolls there. */
async function loadOrders(): Promise<void> {
  const query = client.watchQuery({ query: StoreOrdersDocument, variables: { store, first: Number(first) } });
  const subscription = query.subscribe({});
  let { data } = await query.refetch();
  let loaded = data?.store?.orders;
  const lengths = [loaded?.edges.length ?? 0];
  while (loaded?.pageInfo.hasNextPage) {
    await query.fetchMore({ variables: { after: loaded.pageInfo.endCursor } });
    data = client.readQuery({ query: StoreOrdersDocument, variables: { store, first: Number(first) } }) ?? undefined;
    loaded = data?.store?.orders;
    lengths.push(loaded?.edges.length ?? 0);
  }
  subscription.unsubscribe();
  console.log(`orders in the list after each page: ${lengths.join(', ')} of ${loaded?.totalCount}`);
}

/** Counts the entities in the cache, whose keys are the type and id of each. */
function showCache(): void {
  const types = Object.keys(cache.extract()).map(key => key.split(':')[0]);
  const count = (type: string) => types.filter(each => each === type).length;
  console.log(`cached: ${count('Order')} orders, ${count('MenuItem')} items, ${count('ModifierItem')} modifier items`);
}

await loadOrders();
await client.query({ query: StoreMenuDocument, variables: { store, languages: ['en', 'pt'] } });
showCache();
