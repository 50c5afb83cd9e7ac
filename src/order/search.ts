import { preparedFirst, type Query, type Statement } from '../statement.ts';
import type { Store } from '../store/entities.ts';
import type { Search } from './arguments.ts';
import { type CountRow, countStatement } from './count.ts';
import { writeCursor } from './cursor.ts';
import type { Order } from './entities.ts';
import { type PageRow, pageStatement } from './page.ts';
import { toOrder } from './row.ts';

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

/** One page of each store, in one statement. Stores stand for what the caller may see: they were loaded within reach. */
export async function findOrders(query: Query, pages: readonly OrderPage[], search: Search): Promise<FoundOrders[]> {
  const storeIds = pages.map(page => page.store.id);
  const { sql: text, values } = pageStatement(
    storeIds,
    search,
    pages.some(page => page.asked.count),
  );
  const rows = await query<PageRow>(statementOf(text, search), values);
  const byPosition = Map.groupBy(rows, row => row.position);
  return pages.map((_page, index) => toFound(byPosition.get(index + 1) ?? [], search));
}

function toFound(rows: readonly PageRow[], search: Search): FoundOrders {
  const orders = rows.slice(0, search.pageSize).flatMap(row => (row.id === null ? [] : [toOrder(row)]));
  const hasNextPage = rows.length > search.pageSize;
  return {
    orders,
    hasNextPage,
    count: rows[0]?.total ?? (hasNextPage ? undefined : countFromLastPage(orders.length, search)),
  };
}

/** A last page tells how many there are in all, unless it is empty, or pages were counted from a cursor. */
function countFromLastPage(found: number, { pageIndex, pageSize, after }: Search): number | undefined {
  return after || (found === 0 && pageIndex > 0) ? undefined : pageIndex * pageSize + found;
}

/** Sizes of pages and sets of statuses make many texts, and every connection keeps each; the usual ones come first. */
const keepFirst = preparedFirst(200);

/**
 * Planning such a statement costs more than running it. Walks of the indexes by time have one good plan, which is kept, and
 * so has a telephone number by itself. What is best for a name depends on how often it occurs, and for a number within a
 * time on which of them leaves fewer orders; these are planned anew.
 */
function statementOf(text: string, { name, phone, from, to }: Search): Statement {
  const planKept = name === undefined && (phone === undefined || (from === undefined && to === undefined));
  return planKept ? keepFirst(text) : { text };
}

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
