import {
  type Environment,
  fetchQuery,
  getFragment,
  getPaginationMetadata,
  getPaginationVariables,
  getSingularSelector,
} from 'relay-runtime';
import storeOrdersFragment, { type StoreOrders_store$data } from './__generated__/StoreOrders_store.graphql.ts';
import storeOrdersQuery, { type StoreOrdersQuery } from './__generated__/StoreOrdersQuery.graphql.ts';

type Direction = 'forward' | 'backward';
type Orders = StoreOrders_store$data['orders'];

const sizeOf = (direction: Direction, count: number) => (direction === 'forward' ? { first: count } : { last: count });

/** The orders of a store in a connection that grows page by page: without React, what `usePaginationFragment` does in a component. */
export async function openOrders(environment: Environment, store: string, direction: Direction, count: number) {
  const variables = { store, ...sizeOf(direction, count) };
  const root = await fetchQuery<StoreOrdersQuery>(environment, storeOrdersQuery, variables).toPromise();
  if (!root?.store) throw new Error(`No store in this key's scope has the id "${store}".`);
  const selector = getSingularSelector(getFragment(storeOrdersFragment), root.store);
  if (!selector) throw new Error('The query selects no orders.');
  const { paginationRequest, paginationMetadata } = getPaginationMetadata(selector.node, 'openOrders');

  /** Reads the connection from Relay's store, with all pages loaded so far. */
  const read = (): Orders => (environment.lookup(selector).data as StoreOrders_store$data).orders;
  // Relay's key of the store is its `nodeId`.
  const nodeId = selector.dataID;
  return {
    read,
    hasMore: () => (direction === 'forward' ? read().pageInfo.hasNextPage : read().pageInfo.hasPreviousPage),
    async loadMore(): Promise<Orders> {
      const { startCursor, endCursor } = read().pageInfo;
      const cursor = direction === 'forward' ? endCursor : startCursor;
      const next = getPaginationVariables(direction, count, cursor, selector.variables, {}, paginationMetadata);
      await fetchQuery(environment, paginationRequest, { ...next, nodeId }).toPromise();
      return read();
    },
    /** Fetches the fragment again, from its first page on. */
    async refetch(): Promise<Orders> {
      await fetchQuery(environment, paginationRequest, { ...sizeOf(direction, count), nodeId }).toPromise();
      return read();
    },
  };
}
