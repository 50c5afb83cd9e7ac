import type { OrderStatus } from '../generated/graph.ts';
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

/** Letters and digits in a row, long enough for the trigrams of the name index. */
const indexable = /[\p{L}\p{N}]{3}/u;

/** Whether an index finds the matches themselves, so that they are best collected first and put in order afterwards. */
export const isIndexed = ({ name, phone }: Search) =>
  phone !== undefined || (name !== undefined && indexable.test(name));

/** Whether the counters alone know how many orders match on a whole day. */
export const isCounted = ({ name, phone }: Search) => phone === undefined && name === undefined;

/** Conditions on `orders` other than its store, time and status, each with a leading `and`. */
export function textConditions({ name, phone }: Search, { bind }: Binding): string {
  const conditions: string[] = [];
  if (name !== undefined) {
    const pattern = bind(`%${name.replace(/[\\%_]/g, '\\$&')}%`, 'text');
    conditions.push(`and customer_name_folded like (${foldedName(pattern)}) collate "C"`);
  }
  if (phone === '') conditions.push('and false');
  if (phone) {
    // A range rather than a pattern, whose index a plan could use only where it is made anew.
    const [first, end] = startingWith([...phone].reverse().join(''));
    conditions.push(`and phone_reversed >= ${bind(first, 'text')} and phone_reversed < ${bind(end, 'text')}`);
  }
  return conditions.join(' ');
}

/** The range of the texts that start with these digits: up to before the same with one more in the last place. */
function startingWith(digits: string): [string, string] {
  return [digits, digits.slice(0, -1) + String.fromCharCode(digits.charCodeAt(digits.length - 1) + 1)];
}

export function timeConditions({ from, to }: Partial<Pick<Search, 'from' | 'to'>>, { bind }: Binding): string {
  const conditions: string[] = [];
  if (from) conditions.push(`and created_at >= ${bind(from, 'timestamptz')}`);
  if (to) conditions.push(`and created_at <= ${bind(to, 'timestamptz')}`);
  return conditions.join(' ');
}

/** On `orders` and `order_count` alike. */
export function statusCondition({ statuses }: Search): string {
  return statuses ? `and status = any(array[${statusList(statuses)}])` : '';
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
