import type { OrderStatus } from '../generated/graph.ts';
import type { Cursor } from '../lists/paging.ts';
import type { Search } from './arguments.ts';
import { orderStatuses } from './statuses.ts';
import {
  type Binding,
  createBinding,
  cursorConditions,
  type DayRange,
  dayConditions,
  isCounted,
  isIndexed,
  positionOf,
  requestedStores,
  statusArray,
  statusCondition,
  textConditions,
  timeConditions,
} from './where-clause.ts';

/** The store's position in the request, the total where it was counted, then the columns of an order; null without one. */
export type PageRow = readonly [position: number, total: number | null, ...order: unknown[]];

/** Index of the order's first column. */
export const orderColumns = 2;

/** Whether there are orders on the far side of either cursor: the last columns of a page that is read by cursor. */
export const readFlags = ({ after, before }: Search, row: PageRow | undefined): unknown[] =>
  after || before ? (row?.slice(-2) ?? []) : [];

export interface PageOptions {
  readonly storeIds: readonly string[];
  readonly search: Search;
  /** Whether to select the total as well, where the counters have it. */
  readonly withCount?: boolean;
}

/**
 * Selects a page of each store, and one order more where the list goes on. Ids are read from the indexes before `selectOrders`
 * reads the rows, since rows are wide.
 */
export function pageStatement(selectOrders: string, { storeIds, search, withCount = false }: PageOptions) {
  const binding = createBinding();
  const total = withCount && isCounted(search) ? countExpression(search, binding) : 'null';
  const hasCursor = search.after !== undefined || search.before !== undefined;
  const flags = hasCursor
    ? `, ${existsBeyond(search.after, '>=', search, binding)} as has_newer,
        ${existsBeyond(search.before, '<=', search, binding)} as has_older`
    : '';
  // `offset 0` keeps the planner from inlining these columns, which would evaluate them for every order.
  const sql = `
    select position::int, coalesce(page.total, list.total)::float8, found.*
      ${hasCursor ? ', list.has_newer, list.has_older' : ''}
    from ${requestedStores(storeIds, binding)}
    cross join lateral (select (${total})::bigint as total ${flags} offset 0) list
    left join lateral (${pageOf(search, binding)}) page on true
    left join (${selectOrders}) found on found.id = page.id
    order by position, page.created_at desc, page.id desc`;
  return { sql, values: binding.values };
}

function pageOf(search: Search, binding: Binding): string {
  if (search.isByCompletion) return pageByCompletion(search, binding);
  return isIndexed(search) ? pageOfMatches(search, binding) : pageByTime(search, binding);
}

const newestFirst = 'order by created_at desc, id desc';
const oldestFirst = 'order by created_at, id';
const offsetOf = ({ pageIndex, size }: Search) => BigInt(pageIndex) * BigInt(size);

/** Without cursors; in place of the time at which they were placed, the page is sorted by that of their completion. */
function pageByCompletion(search: Search, binding: Binding): string {
  return `
    select coalesce(completed_at, created_at) as created_at, id, null::bigint as total from orders
    where store_id = requested.store_id ${statusCondition(search)} ${textConditions(search, binding)}
    order by coalesce(completed_at, created_at) desc, id desc limit ${search.size + 1}`;
}

/** Pages of a search that an index finds: its matches are collected, which gives the total too, and sorted. */
function pageOfMatches(search: Search, binding: Binding): string {
  return `
    select created_at, id, total from (${matchesOf(search, binding)}) matches
    where true ${cursorConditions(search, binding)}
    ${search.isBackward ? oldestFirst : newestFirst}
    offset ${binding.bind(offsetOf(search), 'bigint')} limit ${binding.bind(search.size + 1, 'int')}`;
}

/** The window function keeps the planner from scanning the store by time. */
function matchesOf(search: Search, binding: Binding): string {
  return `
    select created_at, id, count(*) over () as total from orders
    where store_id = requested.store_id ${statusCondition(search)}
      ${timeConditions(search, binding)} ${textConditions(search, binding)}`;
}

/** Scans the store's orders by time, from the start of the page on or, backward, from its end. */
function pageByTime(search: Search, binding: Binding): string {
  // A literal, as are the statuses: with a known number of rows PostgreSQL keeps the generic plan.
  const limit = String(search.size + 1);
  const cursors = cursorConditions(search, binding);
  if (offsetOf(search) === 0n) {
    const sort = search.isBackward ? oldestFirst : newestFirst;
    const scan = scanByTime(withoutBoundBeyondCursor(search), { conditions: cursors, sort, limit }, binding);
    return `select created_at, id, null::bigint as total from (${scan}) scanned`;
  }
  const conditions = `and created_at < start.ceiling ${cursors}`;
  return `
    select created_at, id, null::bigint as total from (${scanStart(search, binding)}) start
    cross join lateral (
      ${scanByTime(search, { conditions, sort: newestFirst, skip: 'start.skip', limit }, binding)}
    ) scanned`;
}

/** Removes a time beyond the cursor, since PostgreSQL might start the scan there and compare all orders up to the cursor. */
function withoutBoundBeyondCursor(search: Search): Search {
  const { isBackward, after, before, createdFrom, createdUntil } = search;
  if (isBackward)
    return before && createdFrom && createdFrom <= before.createdAt ? { ...search, createdFrom: undefined } : search;
  return after && createdUntil && createdUntil >= after.createdAt ? { ...search, createdUntil: undefined } : search;
}

interface Scan {
  /** On `orders`, each with a leading `and`. */
  readonly conditions: string;
  readonly sort: string;
  readonly skip?: string;
  readonly limit: string;
}

function scanByTime(search: Search, { conditions, sort, skip = '0', limit }: Scan, binding: Binding): string {
  const orders = `
    select created_at, id from orders
    where store_id = requested.store_id ${conditions} ${createdFromCondition(search, binding)}
      ${timeConditions({ createdUntil: search.createdUntil }, binding)} ${textConditions(search, binding)}`;
  const statuses = search.statuses ?? (search.placedBy === undefined ? undefined : orderStatuses);
  const matches = statuses ? mergeStatuses(orders, statuses, `${sort} limit ${skip} + ${limit}`) : orders;
  return `${matches} ${sort} offset ${skip} limit ${limit}`;
}

/** Whether there are matches on the far side of a cursor, that of the cursor included. */
function existsBeyond(cursor: Cursor | undefined, operator: '>=' | '<=', search: Search, binding: Binding): string {
  if (!cursor) return 'null::boolean';
  const conditions = `and (created_at, id) ${operator} ${positionOf(cursor, binding)}`;
  const sort = operator === '>=' ? oldestFirst : newestFirst;
  const matches = isIndexed(search)
    ? `select from (${matchesOf(search, binding)}) matches where true ${conditions}`
    : scanByTime(search, { conditions, sort, limit: '1' }, binding);
  return `exists (${matches})`;
}

/**
 * Equals `created_at >= createdFrom`, since no id sorts before the empty one. As a row comparison it does not pair with the upper bound
 * to a narrow range, for which a generic plan would collect and sort all orders of a partitioned table.
 */
function createdFromCondition({ createdFrom }: Search, { bind }: Binding): string {
  return createdFrom ? `and (created_at, id) >= (${bind(createdFrom, 'timestamptz')}, '' collate "C")` : '';
}

/** One index scan per status, since a single one would skip over the orders of all others. */
function mergeStatuses(orders: string, statuses: readonly OrderStatus[], sortAndLimit: string): string {
  return `
    select created_at, id from unnest(${statusArray(statuses)}) as selected (status)
    cross join lateral (${orders} and status = selected.status ${sortAndLimit}) of_status`;
}

/** Offset from which summing the counters of the days before costs less than skipping their orders. */
const minOffsetForCounters = 500n;

/** Selects where the scan starts and how many orders it skips; no row when the page is beyond the last order. */
function scanStart(search: Search, binding: Binding): string {
  const offset = binding.bind(offsetOf(search), 'bigint');
  const fromNewest = `select 'infinity'::timestamptz as ceiling, ${offset} as skip`;
  if (offsetOf(search) < minOffsetForCounters) return fromNewest;
  const first = search.createdFrom && startOfDay(search.createdFrom);
  const last = lastInstant(search);
  if (!isCounted(search)) {
    const end = last && nextStartOfDay(nextInstant(last));
    const upperBound = `select sum(n) from order_count where ${counterConditions({ first, end }, search, binding)}`;
    return `${fromNewest} where ${offset} < (${upperBound})`;
  }
  return `
    select ceiling, (${offset} - running_total + n)::bigint as skip from (
      select ceiling, n, sum(n) over (order by ceiling desc) as running_total from (
        select (day + 1)::timestamp at time zone 'UTC' as ceiling, sum(n)::bigint as n from order_count
        where ${counterConditions({ first, end: last && startOfDay(last) }, search, binding)} group by day
        ${last ? `union all ${countLastDay(startOfDay(last), search, binding)}` : ''}
      ) days
    ) totals
    where running_total > ${offset} order by ceiling desc limit 1`;
}

/** The latest creation time of a matching order. */
function lastInstant({ createdUntil, after }: Search): Date | undefined {
  return createdUntil && after && createdUntil < after.createdAt ? createdUntil : (after?.createdAt ?? createdUntil);
}

function counterConditions(days: DayRange, search: Search, binding: Binding): string {
  return `store_id = requested.store_id ${dayConditions(days, binding)} ${statusCondition(search)}`;
}

/** Counts the orders of the last day, of which the search includes only a part. */
function countLastDay(start: Date, search: Search, binding: Binding): string {
  const createdFrom = search.createdFrom && search.createdFrom > start ? search.createdFrom : start;
  return `
    select 'infinity', count(*) from orders where store_id = requested.store_id
      ${timeConditions({ ...search, createdFrom }, binding)} ${statusCondition(search)}
      ${cursorConditions(search, binding)}`;
}

/** Selects the largest number of orders that a scan of one of the stores would compare, by the counters of whole days; of own orders, their number. */
export function scanSizeStatement(storeIds: readonly string[], search: Search) {
  const binding = createBinding();
  const days = {
    first: search.createdFrom && startOfDay(search.createdFrom),
    end: search.createdUntil && nextStartOfDay(nextInstant(search.createdUntil)),
  };
  const own = { ...search, customerName: undefined, customerPhoneContains: undefined };
  const scanned =
    search.placedBy === undefined
      ? `(select sum(n) from order_count where ${counterConditions(days, search, binding)})`
      : countOrders(own, binding);
  const sql = `
    select coalesce(max(n), 0)::float8 as count from ${requestedStores(storeIds, binding)}
    cross join lateral (select ${scanned} as n) counted`;
  return { sql, values: binding.values };
}

export interface CountRow {
  readonly count: number;
}

/** Counts the matches of each store, in the order of the ids. */
export function countStatement(storeIds: readonly string[], search: Search) {
  const binding = createBinding();
  const sql = `
    select (${countExpression(search, binding)})::float8 as count
    from ${requestedStores(storeIds, binding)}
    order by position`;
  return { sql, values: binding.values };
}

/** Reads whole days, or the totals, from the counters, and counts the orders of a partial first and last day. */
function countExpression(search: Search, binding: Binding): string {
  const { createdFrom, createdUntil } = search;
  if (!isCounted(search)) return countOrders(search, binding);
  if (!createdFrom && !createdUntil) return sumCounters("and day = 'infinity'", search);
  const first = createdFrom && nextStartOfDay(createdFrom);
  const end = createdUntil && startOfDay(nextInstant(createdUntil));
  if (first && end && first >= end) return countOrders(search, binding);
  const parts = [sumCounters(dayConditions({ first, end }, binding), search)];
  if (createdFrom && first && createdFrom < first)
    parts.push(countOrders({ ...search, createdUntil: previousInstant(first) }, binding));
  if (createdUntil && end && end <= createdUntil) parts.push(countOrders({ ...search, createdFrom: end }, binding));
  return parts.join(' + ');
}

const sumCounters = (days: string, search: Search) =>
  `(select coalesce(sum(n), 0) from order_count where store_id = requested.store_id
    ${days} ${statusCondition(search)})`;

function countOrders(search: Search, binding: Binding): string {
  return `(select count(*) from orders where store_id = requested.store_id
    ${timeConditions(search, binding)} ${statusCondition(search)} ${textConditions(search, binding)})`;
}

// Days are of UTC, and instants are stored in milliseconds.
const dayMs = 86_400_000;
const startOfDay = (instant: Date) => new Date(Math.floor(instant.getTime() / dayMs) * dayMs);
const nextStartOfDay = (instant: Date) => new Date(Math.ceil(instant.getTime() / dayMs) * dayMs);
const nextInstant = (instant: Date) => new Date(instant.getTime() + 1);
const previousInstant = (instant: Date) => new Date(instant.getTime() - 1);
