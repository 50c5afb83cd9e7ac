import type { OrderStatus } from '../generated/graph.ts';
import type { Cursor } from '../lists/paging.ts';
import type { Search, SearchedFilter } from './arguments.ts';
import { foldedName } from './entities.ts';

export type Binding = ReturnType<typeof createBinding>;

/** Collects the parameters of a statement, and returns the placeholder of each. */
export function createBinding() {
  const values: unknown[] = [];
  return { values, bind: (value: unknown, type: string) => `$${values.push(value)}::${type}` };
}

/**
 * The requested stores as a table. A single store is a scalar: for an array the planner assumes ten rows, rates every generic plan
 * as too expensive, and plans the statement at each execution.
 */
export function requestedStores(storeIds: readonly string[], { bind }: Binding): string {
  const [only] = storeIds;
  return storeIds.length === 1
    ? `(select ${bind(only, 'text')} collate "C", 1) as requested (store_id, position)`
    : `unnest(${bind(storeIds, 'text[]')}) with ordinality as requested (store_id, position)`;
}

/** How the statements treat one filter. */
interface FilterRule {
  /** Whether the order counters include the number of matches of a whole day. */
  readonly isCounted?: boolean;
  /** Whether an index finds the matches, so that they are best collected before they are sorted. */
  readonly isIndexed?: (search: Search) => boolean;
  /** Whether one plan suits all values, so that the statement can be prepared; true if absent. */
  readonly isPreparable?: (search: Search) => boolean;
  /** On `orders`, with a leading `and`; absent for time and status, which index scans and counters apply in their own ways. */
  readonly condition?: (search: Search, binding: Binding) => string;
}

/** Three letters or digits in a row, the minimum for a trigram of the name index. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** A filter of the graph that is missing here does not compile. */
const filterRules: Readonly<Record<SearchedFilter | 'placedBy', FilterRule>> = {
  createdFrom: { isCounted: true },
  createdUntil: { isCounted: true },
  statuses: { isCounted: true },
  serviceTypes: {
    // Found by time: an index has those of one type in that order, and several types are found soon.
    // Literals, as statuses are: the type has four values.
    condition: ({ serviceTypes = [] }) => `and service_type in (${serviceTypes.map(type => `'${type}'`).join(', ')})`,
  },
  customerName: {
    isIndexed: ({ customerName = '' }) => hasTrigram.test(customerName),
    // The best plan depends on how frequent the name is.
    isPreparable: () => false,
    condition: ({ customerName = '' }, { bind }) => {
      const pattern = bind(`%${customerName.replace(/[\\%_]/g, '\\$&')}%`, 'text');
      return `and customer_name_folded like (${foldedName(pattern)}) collate "C"`;
    },
  },
  customerPhoneEndsWith: {
    isIndexed: () => true,
    // With a time range, the best plan depends on which of the two is more selective.
    isPreparable: ({ createdFrom, createdUntil }) => createdFrom === undefined && createdUntil === undefined,
    condition: ({ customerPhoneEndsWith = '' }, { bind }) => {
      if (customerPhoneEndsWith === '') return 'and false';
      // A range rather than `like`, for which a generic plan cannot use the index.
      const [first, end] = prefixRange(reverse(customerPhoneEndsWith));
      return `and phone_reversed >= ${bind(first, 'text')} and phone_reversed < ${bind(end, 'text')}`;
    },
  },
  customerPhoneContains: {
    condition: ({ customerPhoneContains = '' }, { bind }) =>
      customerPhoneContains === ''
        ? 'and false'
        : `and phone_reversed like ${bind(`%${reverse(customerPhoneContains)}%`, 'text')}`,
  },
  placedBy: {
    // Found by time: an index has those of one key and status in that order.
    condition: ({ placedBy = '' }, { bind }) => `and placed_by = ${bind(placedBy, 'text')}`,
  },
};

export const reverse = (digits: string) => [...digits].reverse().join('');

const filters = Object.keys(filterRules) as readonly (keyof typeof filterRules)[];

const rulesOf = (search: Search): FilterRule[] =>
  filters.filter(name => search[name] !== undefined).map(name => filterRules[name]);

/** Whether no index finds a text, such as a name that is too short for its index, so that every order of the store is compared. */
export const isFullScan = (search: Search) =>
  (search.customerName !== undefined || search.customerPhoneContains !== undefined) && !isIndexed(search);
export const isIndexed = (search: Search) => rulesOf(search).some(rule => rule.isIndexed?.(search));
export const isCounted = (search: Search) => rulesOf(search).every(rule => rule.isCounted);
export const isPreparable = (search: Search) => rulesOf(search).every(rule => rule.isPreparable?.(search) ?? true);

/** Conditions on `orders` other than its store, time and status, each with a leading `and`. */
export const textConditions = (search: Search, binding: Binding) =>
  rulesOf(search)
    .map(rule => rule.condition?.(search, binding) ?? '')
    .join(' ');

/** The half-open range of texts with this prefix: the end has the successor of its last digit. */
export function prefixRange(digits: string): [string, string] {
  return [digits, digits.slice(0, -1) + String.fromCharCode(digits.charCodeAt(digits.length - 1) + 1)];
}

/** Both ends are included. */
export function timeConditions(
  { createdFrom, createdUntil }: Partial<Pick<Search, 'createdFrom' | 'createdUntil'>>,
  { bind }: Binding,
): string {
  const conditions: string[] = [];
  if (createdFrom) conditions.push(`and created_at >= ${bind(createdFrom, 'timestamptz')}`);
  if (createdUntil) conditions.push(`and created_at <= ${bind(createdUntil, 'timestamptz')}`);
  return conditions.join(' ');
}

/** On `orders` and `order_count` alike. */
export function statusCondition({ statuses }: Search): string {
  return statuses ? `and status = any(${statusArray(statuses)})` : '';
}

/** Literals rather than parameters; safe, since the type has seven values. */
export function statusArray(statuses: readonly OrderStatus[]): string {
  return `array[${statuses.map(status => `'${status}'`).join(', ')}]::text[]`;
}

/** Orders are sorted newest first: those after a cursor are older. */
export function cursorConditions(
  { after, before }: Partial<Pick<Search, 'after' | 'before'>>,
  binding: Binding,
): string {
  const conditions: string[] = [];
  if (after) conditions.push(`and (created_at, id) < ${positionOf(after, binding)}`);
  if (before) conditions.push(`and (created_at, id) > ${positionOf(before, binding)}`);
  return conditions.join(' ');
}

/** A cursor as a row to compare with `(created_at, id)`. */
export function positionOf({ createdAt, id }: Cursor, { bind }: Binding): string {
  return `(${bind(createdAt, 'timestamptz')}, ${bind(id, 'text')} collate "C")`;
}

/** A half-open range of UTC days, by the instants at which they start. */
export interface DayRange {
  readonly first: Date | undefined;
  readonly end: Date | undefined;
}

/** On `order_count`, whose totals over all days have the day `infinity`. */
export function dayConditions({ first, end }: DayRange, { bind }: Binding): string {
  const conditions = ["and day < 'infinity'"];
  if (first) conditions.push(`and day >= ${dayOf(bind(first, 'timestamptz'))}`);
  if (end) conditions.push(`and day < ${dayOf(bind(end, 'timestamptz'))}`);
  return conditions.join(' ');
}

const dayOf = (instant: string) => `(${instant} at time zone 'UTC')::date`;
