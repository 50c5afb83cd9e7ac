import type { OrderStatus } from '../generated/graph.ts';
import type { Search } from './arguments.ts';
import {
  afterCondition,
  askedStores,
  type Binding,
  createBinding,
  type Days,
  dayConditions,
  isCounted,
  isIndexed,
  statusCondition,
  statusList,
  textConditions,
  timeConditions,
  timeOf,
} from './conditions.ts';
import { countOf } from './count.ts';
import { nextInstant, nextStartOfDay, startOfDay } from './days.ts';

/** The position of the page, the number of all matches where it was counted, then the columns of an order; null without one. */
export type PageRow = readonly [position: number, total: number | null, ...order: unknown[]];

/** Where the columns of the order begin. */
export const orderColumns = 2;

/** Beyond this many orders it costs less to add up the days before than to step over their orders. */
const worthJumping = 500n;

export interface PageOptions {
  readonly storeIds: readonly string[];
  readonly search: Search;
  /** Whether the number of all matches is wanted too, where the counters know it. */
  readonly withCount?: boolean;
}

/**
 * A page of each of many stores, and one order more where there is a next page. Ids are picked from the indexes before any
 * order is read by the text that selects orders, since rows are wide.
 */
export function pageStatement(selectOrders: string, { storeIds, search, withCount = false }: PageOptions) {
  const binding = createBinding();
  const total = withCount && isCounted(search) ? countOf(search, binding) : 'null';
  // With an offset the count is a step of its own; without one it would be worked out again for every order.
  const sql = `
    select position::int, coalesce(picked.total, counted.total)::float8, found.*
    from ${askedStores(storeIds, binding)}
    cross join lateral (select (${total})::bigint as total offset 0) counted
    left join lateral (${isIndexed(search) ? collected(search, binding) : walked(search, binding)}) picked on true
    left join (${selectOrders}) found on found.id = picked.id
    order by position, picked.created_at desc, picked.id desc`;
  return { sql, values: binding.values };
}

const newestFirst = 'order by created_at desc, id desc';
const skipOf = ({ pageIndex, pageSize }: Search) => BigInt(pageIndex) * BigInt(pageSize);

/** Collects all matches, which counts them as well. The window keeps the planner from walking the store by time. */
function collected(search: Search, binding: Binding): string {
  return `
    select created_at, id, total from (
      select created_at, id, count(*) over () as total from orders
      where store_id = asked.store_id ${statusCondition(search)}
        ${timeConditions(timeOf(search), binding)} ${textConditions(search, binding)}
    ) matches
    where true ${afterCondition(search, binding)}
    ${newestFirst} offset ${binding.bind(skipOf(search), 'bigint')} limit ${binding.bind(search.pageSize + 1, 'int')}`;
}

/** Walks the store by time, from the first order of the page on. */
function walked(search: Search, binding: Binding): string {
  // Written out, as are the first page and the statuses: with the number of rows in sight, the plan is kept.
  const limit = String(search.pageSize + 1);
  const orders = `
    select created_at, id from orders
    where store_id = asked.store_id and created_at < start.ceiling ${fromCondition(search, binding)}
      ${timeConditions({ to: search.endTime }, binding)} ${textConditions(search, binding)} ${afterCondition(search, binding)}`;
  return `
    select created_at, id, null::bigint as total from (${startOf(search, binding)}) start
    cross join lateral (
      ${search.status ? byStatus(orders, search.status, limit) : orders}
      ${newestFirst} offset start.skip limit ${limit}
    ) stretch`;
}

/**
 * No id comes before the empty one, so this is `created_at >= startTime`. As a comparison of rows it is not taken together with
 * an upper bound for a narrow range, for which a plan that is kept would collect and sort all orders of a table in parts.
 */
function fromCondition({ startTime }: Search, { bind }: Binding): string {
  return startTime ? `and (created_at, id) >= (${bind(startTime, 'timestamptz')}, '' collate "C")` : '';
}

/** One walk per status, since a single one would step over the orders of all others. */
function byStatus(orders: string, statuses: readonly OrderStatus[], limit: string): string {
  return `
    select created_at, id from unnest(array[${statusList(statuses)}]) as wanted (status)
    cross join lateral (${orders} and status = wanted.status ${newestFirst} limit start.skip + ${limit}) of_status`;
}

/** Where to begin to walk and how many orders to step over; no row when the page lies beyond the last order. */
function startOf(search: Search, binding: Binding): string {
  const skip = skipOf(search) === 0n ? '0::bigint' : binding.bind(skipOf(search), 'bigint');
  const begin = `select 'infinity'::timestamptz as ceiling, ${skip} as skip`;
  if (skipOf(search) < worthJumping) return begin;
  const first = search.startTime && startOfDay(search.startTime);
  const last = lastInstant(search);
  if (!isCounted(search)) {
    const end = last && nextStartOfDay(nextInstant(last));
    const possible = `select sum(n) from order_count where ${counters({ first, end }, search, binding)}`;
    return `${begin} where ${skip} < (${possible})`;
  }
  return `
    select ceiling, (${skip} - reached + n)::bigint as skip from (
      select ceiling, n, sum(n) over (order by ceiling desc) as reached from (
        select (day + 1)::timestamp at time zone 'UTC' as ceiling, sum(n)::bigint as n from order_count
        where ${counters({ first, end: last && startOfDay(last) }, search, binding)} group by day
        ${last ? `union all ${incompleteDay(startOfDay(last), search, binding)}` : ''}
      ) days
    ) added_up
    where reached > ${skip} order by ceiling desc limit 1`;
}

/** The latest instant at which a wanted order can have been created. */
function lastInstant({ endTime, after }: Search): Date | undefined {
  return endTime && after && endTime < after.createdAt ? endTime : (after?.createdAt ?? endTime);
}

function counters(days: Days, search: Search, binding: Binding): string {
  return `store_id = asked.store_id ${dayConditions(days, binding)} ${statusCondition(search)}`;
}

/** The last day is cut off by the search, so its orders are counted. */
function incompleteDay(start: Date, search: Search, binding: Binding): string {
  const from = search.startTime && search.startTime > start ? search.startTime : start;
  return `
    select 'infinity', count(*) from orders where store_id = asked.store_id
      ${timeConditions({ from, to: search.endTime }, binding)} ${statusCondition(search)}
      ${afterCondition(search, binding)}`;
}
