import type { OrderFilter, OrderStatus } from '../generated/graph.ts';
import type { Search } from './arguments.ts';
import { foldedName } from './entities.ts';

/** Collects the values of a statement, and gives each its placeholder. */
export interface Binding {
  readonly values: readonly unknown[];
  bind(value: unknown, type: string): string;
}

export function createBinding(): Binding {
  const values: unknown[] = [];
  return { values, bind: (value, type) => `$${values.push(value)}::${type}` };
}

/**
 * The stores that are asked for, each with its position. A single one stands by itself: for a list PostgreSQL expects ten,
 * finds every plan that it could keep too dear, and plans the statement anew each time.
 */
export function askedStores(storeIds: readonly string[], { bind }: Binding): string {
  const [only] = storeIds;
  return storeIds.length === 1
    ? `(select ${bind(only, 'text')} collate "C", 1) as asked (store_id, position)`
    : `unnest(${bind(storeIds, 'text[]')}) with ordinality as asked (store_id, position)`;
}

/** How a search treats one of its filters. */
interface FilterRule {
  readonly isSet: (search: Search) => boolean;
  /** Whether the counters know how many orders of a whole day match. */
  readonly isCounted: boolean;
  /** Whether an index finds the matches themselves, so that they are best collected first and sorted afterwards. */
  readonly isIndexed: (search: Search) => boolean;
  /** Whether one plan suits all values, so that the statement is worth preparing. */
  readonly hasOnePlan: (search: Search) => boolean;
  /** On `orders`, with a leading `and`; empty for time and status, which walks and counters each apply in their own way. */
  readonly condition: (search: Search, binding: Binding) => string;
}

/** Letters and digits in a row, long enough for the trigrams of the name index. */
const indexable = /[\p{L}\p{N}]{3}/u;

const byTimeOrStatus = {
  isCounted: true,
  isIndexed: () => false,
  hasOnePlan: () => true,
  condition: () => '',
};

/** A filter of the graph that is missing here does not compile. */
const filterRules: Readonly<Record<keyof OrderFilter, FilterRule>> = {
  startTime: { ...byTimeOrStatus, isSet: search => search.startTime !== undefined },
  endTime: { ...byTimeOrStatus, isSet: search => search.endTime !== undefined },
  status: { ...byTimeOrStatus, isSet: search => search.status !== undefined },
  customerName: {
    isSet: search => search.customerName !== undefined,
    isCounted: false,
    isIndexed: ({ customerName = '' }) => indexable.test(customerName),
    // What is best for a name depends on how often it occurs.
    hasOnePlan: () => false,
    condition: ({ customerName = '' }, { bind }) => {
      const pattern = bind(`%${customerName.replace(/[\\%_]/g, '\\$&')}%`, 'text');
      return `and customer_name_folded like (${foldedName(pattern)}) collate "C"`;
    },
  },
  phoneNumber: {
    isSet: search => search.phoneNumber !== undefined,
    isCounted: false,
    isIndexed: () => true,
    // Within a time, the best plan depends on which of the two leaves fewer orders.
    hasOnePlan: ({ startTime, endTime }) => startTime === undefined && endTime === undefined,
    condition: ({ phoneNumber = '' }, { bind }) => {
      if (phoneNumber === '') return 'and false';
      // A range rather than a pattern, whose index a plan could use only where it is made anew.
      const [first, end] = startingWith([...phoneNumber].reverse().join(''));
      return `and phone_reversed >= ${bind(first, 'text')} and phone_reversed < ${bind(end, 'text')}`;
    },
  },
};

const rulesOf = (search: Search): FilterRule[] => Object.values(filterRules).filter(rule => rule.isSet(search));

export const isIndexed = (search: Search) => rulesOf(search).some(rule => rule.isIndexed(search));
export const isCounted = (search: Search) => rulesOf(search).every(rule => rule.isCounted);
export const hasOnePlan = (search: Search) => rulesOf(search).every(rule => rule.hasOnePlan(search));

/** Conditions on `orders` other than its store, time and status, each with a leading `and`. */
export const textConditions = (search: Search, binding: Binding) =>
  rulesOf(search)
    .map(rule => rule.condition(search, binding))
    .join(' ');

/** The range of the texts that start with these digits: up to before the same with one more in the last place. */
function startingWith(digits: string): [string, string] {
  return [digits, digits.slice(0, -1) + String.fromCharCode(digits.charCodeAt(digits.length - 1) + 1)];
}

/** From the first instant to the last, both included. */
export interface TimeRange {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export const timeOf = ({ startTime, endTime }: Search): TimeRange => ({ from: startTime, to: endTime });

export function timeConditions({ from, to }: Partial<TimeRange>, { bind }: Binding): string {
  const conditions: string[] = [];
  if (from) conditions.push(`and created_at >= ${bind(from, 'timestamptz')}`);
  if (to) conditions.push(`and created_at <= ${bind(to, 'timestamptz')}`);
  return conditions.join(' ');
}

/** On `orders` and `order_count` alike. */
export function statusCondition({ status }: Search): string {
  return status ? `and status = any(array[${statusList(status)}])` : '';
}

/** Statuses as they stand in a statement: the type has seven, so that no caller's text is among them. */
export function statusList(statuses: readonly OrderStatus[]): string {
  return statuses.map(status => `'${status}'`).join(', ');
}

/** Orders that come after the cursor. */
export function afterCondition({ after }: Search, { bind }: Binding): string {
  if (!after) return '';
  return `and (created_at, id) < (${bind(after.createdAt, 'timestamptz')}, ${bind(after.orderId, 'text')} collate "C")`;
}

/** Days of UTC by their beginnings: from the first to before the end. */
export interface Days {
  readonly first: Date | undefined;
  readonly end: Date | undefined;
}

/** On `order_count`, whose counters over all days stand at the day `infinity`. */
export function dayConditions({ first, end }: Days, { bind }: Binding): string {
  const conditions = ["and day < 'infinity'"];
  if (first) conditions.push(`and day >= ${dayOf(bind(first, 'timestamptz'))}`);
  if (end) conditions.push(`and day < ${dayOf(bind(end, 'timestamptz'))}`);
  return conditions.join(' ');
}

const dayOf = (instant: string) => `(${instant} at time zone 'UTC')::date`;
