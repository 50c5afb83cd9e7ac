import type { Selection } from '../database/entity-query.ts';
import { preparedFirst, type Query } from '../database/query.ts';
import type { Store } from '../store/entities.ts';
import type { Search } from './arguments.ts';
import { hasOnePlan } from './conditions.ts';
import { type CountRow, countStatement } from './count.ts';
import { writeCursor } from './cursor.ts';
import type { Order } from './entities.ts';
import { orderColumns, type PageRow, pageStatement } from './page.ts';

/** A page of a store's orders that has been asked for; its parts are loaded when they are read. */
export interface OrderPage {
  readonly store: Store;
  readonly search: Search;
  /** Which parts have been asked for so far: a page and its count are read together where both are. */
  readonly asked: { orders: boolean; count: boolean };
}

/** What a search found at one store. */
export interface FoundOrders {
  readonly orders: readonly Order[];
  readonly hasNextPage: boolean;
  /** Every match over all pages, where finding the page has told. */
  readonly count: number | undefined;
}

/** One page of each store, in one statement. The stores have been loaded in the caller's scope, and so are their orders. */
export async function findOrders(
  query: Query,
  selection: Selection<Order>,
  pages: readonly OrderPage[],
  search: Search,
): Promise<FoundOrders[]> {
  const storeIds = pages.map(page => page.store.id);
  const withCount = pages.some(page => page.asked.count);
  const { sql, values } = pageStatement(selection.text, { storeIds, search, withCount });
  const rows = await query<PageRow>(statementOf(sql, search), values, 'array');
  const byPosition = Map.groupBy(rows, ([position]) => position);
  return pages.map(({ store }, index) => {
    const ofPage = byPosition.get(index + 1) ?? [];
    // The row of an empty page has no order.
    const orders = ofPage.slice(0, search.pageSize).flatMap(row => {
      return row[orderColumns] === null
        ? []
        : [Object.assign(selection.map(row, orderColumns), { loadedStore: store })];
    });
    const hasNextPage = ofPage.length > search.pageSize;
    const total = ofPage[0]?.[1] ?? undefined;
    const count = total ?? (hasNextPage ? undefined : countFromLastPage(orders.length, search));
    return { orders, hasNextPage, count };
  });
}

/** A last page tells how many there are in all, unless it is empty, or pages were counted from a cursor. */
function countFromLastPage(found: number, { pageIndex, pageSize, after }: Search): number | undefined {
  return after || (found === 0 && pageIndex > 0) ? undefined : pageIndex * pageSize + found;
}

/** Sizes of pages and sets of statuses make many texts, and every connection keeps each; the usual ones come first. */
const keepFirst = preparedFirst(200);

/** Planning such a statement costs more than running it, so it is prepared where one plan suits all values. */
const statementOf = (text: string, search: Search) => (hasOnePlan(search) ? keepFirst(text) : text);

/** Where the next page starts; null on an empty page. */
export function endCursor({ orders }: FoundOrders): string | null {
  const last = orders.at(-1);
  return last ? writeCursor({ createdAt: last.createdAt, orderId: last.id }) : null;
}

/** How many orders match at each store, over all pages, in one statement. */
export async function countOrders(query: Query, pages: readonly OrderPage[], search: Search): Promise<CountRow[]> {
  const { sql: text, values } = countStatement(
    pages.map(page => page.store.id),
    search,
  );
  return query<CountRow>(statementOf(text, search), values);
}
