import type { BoardOrderFragment, OrderEventsSubscription } from '../../../src/generated/web.ts';
import { openOperations } from '../client.ts';

export type Order = BoardOrderFragment;
export type OrderEvent = OrderEventsSubscription['orderEvents'];

const { operation, subscription } = openOperations(new URL('orders.graphql', import.meta.url));
const fetchOpen = operation('OpenOrders');
const fetchCompleted = operation('CompletedOrders');
export const fetchRevision = operation('OrdersRevision');
export const fetchOrder = operation('ConsoleOrder');
export const findOrders = operation('FindOrders');
export const changeStatus = operation('ChangeOrderStatus');
export const watchOrders = subscription('OrderEvents');
export const markAsRead = operation('MarkAsRead');

/** Pages of 500 orders; a store with more open ones than this has another problem. */
const maxPages = 4;

/** The orders of a board, of at least this revision; the cursor leads to the changes since. */
export interface Snapshot {
  readonly revision: number;
  readonly cursor: string | null;
  readonly orders: readonly Order[];
}

export async function fetchSnapshot(store: string): Promise<Snapshot> {
  const completed = fetchCompleted({ store });
  // Handled below, if the first page does not fail before.
  completed.catch(() => {});
  const first = (await fetchOpen({ store, after: null })).store;
  const orders = [...(first?.orders.nodes ?? [])];
  let page = first?.orders.pageInfo;
  for (let read = 1; page?.hasNextPage && read < maxPages; read++) {
    const next = (await fetchOpen({ store, after: page.endCursor })).store?.orders;
    orders.push(...(next?.nodes ?? []));
    page = next?.pageInfo;
  }
  orders.push(...((await completed).store?.completedOrders ?? []));
  return { revision: first?.ordersRevision ?? 0, cursor: first?.orderEventsCursor ?? null, orders };
}
