import type { Search } from './arguments.ts';
import {
  askedStores,
  type Binding,
  createBinding,
  dayConditions,
  isCounted,
  statusCondition,
  type TimeRange,
  textConditions,
  timeConditions,
  timeOf,
} from './conditions.ts';
import { nextInstant, nextStartOfDay, startOfDay } from './days.ts';

export interface CountRow {
  readonly count: number;
}

/** How many orders match at each of many stores, in the order of their ids. */
export function countStatement(storeIds: readonly string[], search: Search) {
  const binding = createBinding();
  const sql = `
    select (${countOf(search, binding)})::float8 as count
    from ${askedStores(storeIds, binding)}
    order by position`;
  return { sql, values: binding.values };
}

/** The number of matches at the store that is asked for. */
export function countOf(search: Search, binding: Binding): string {
  return (isCounted(search) ? stretches(search, binding) : [counted(search, timeOf(search), binding)]).join(' + ');
}

/** Whole days, or all of them, are read from the counters; only what is left of a first and a last day is counted. */
function stretches(search: Search, binding: Binding): string[] {
  const { from, to } = timeOf(search);
  const first = from && nextStartOfDay(from);
  const end = to && startOfDay(nextInstant(to));
  if (!from && !to) return [counterSum("and day = 'infinity'", search)];
  if (first && end && first >= end) return [counted(search, { from, to }, binding)];
  const parts = [counterSum(dayConditions({ first, end }, binding), search)];
  if (from && first && from < first) parts.push(counted(search, { from, to: lastInstantBefore(first) }, binding));
  if (to && end && end <= to) parts.push(counted(search, { from: end, to }, binding));
  return parts;
}

const counterSum = (days: string, search: Search) =>
  `(select coalesce(sum(n), 0) from order_count where store_id = asked.store_id
    ${days} ${statusCondition(search)})`;

const lastInstantBefore = (instant: Date) => new Date(instant.getTime() - 1);

function counted(search: Search, time: TimeRange, binding: Binding): string {
  return `(select count(*) from orders where store_id = asked.store_id
    ${timeConditions(time, binding)} ${statusCondition(search)} ${textConditions(search, binding)})`;
}
