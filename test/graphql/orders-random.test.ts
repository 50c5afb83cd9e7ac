import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrderFilter } from '../../src/generated/graph.ts';
import { encodeCursor } from '../../src/lists/paging.ts';
import type { Order } from '../../src/order/entities.ts';
import { orderStatuses } from '../../src/order/statuses.ts';
import { createData, order } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, saveOrders } from '../support/orders.ts';

const runs = Number(process.env.ORDER_SEARCH_RUNS ?? 100);
const orm = await createDatabase();
const { search } = createOrderGraph(orm);

const names = [
  'Ana',
  'ANNA',
  'Élodie',
  'élo',
  'Дмитрий',
  'Straße',
  'Οδυσσεύς',
  '田中',
  '100%',
  'a_b',
  'c\\d',
  "O'Neil",
];
const name = fc.constantFrom(...names);
const phone = fc.oneof(
  fc.nat(9999).map(n => `+351 ${n}-${n % 7}`),
  fc.constantFrom('unknown', '', '7'),
);
/** Times in eleven days, including edges of days and many equal ones. */
const instant = fc
  .tuple(fc.nat(10), fc.nat(23), fc.constantFrom(0, 0, 1, 3_599_999))
  .map(([day, hour, rest]) => new Date(Date.UTC(2026, 1, 25 + day, hour) + rest));
const status = fc.constantFrom(...orderStatuses);

/** Creates a store with orders that are the same in every run. */
async function createStore(size: number): Promise<readonly Order[]> {
  const { id } = await createData(orm).store();
  const given = fc.record({
    createdAt: instant,
    status,
    customerName: fc.tuple(name, name).map(parts => parts.join(' ')),
    customerPhone: phone,
  });
  const orders = fc.sample(given, { numRuns: size, seed: size }).map(values => order(id, values));
  await saveOrders(orm, orders);
  return orders;
}

const recased = (text: string) => fc.constantFrom(text, text.toUpperCase(), text.toLowerCase());
const partOf = (text: string) =>
  fc.tuple(fc.nat(text.length), fc.nat(4)).map(([start, length]) => text.slice(start, start + length));
/** Optional, so rarely present that several conditions together still match orders. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const filter: fc.Arbitrary<OrderFilter> = fc
  .record({
    times: fc.tuple(maybe(instant), maybe(instant)),
    customerName: maybe(
      fc.oneof(name, name.chain(partOf), fc.string({ maxLength: 3, unit: 'grapheme' })).chain(recased),
    ),
    customerPhoneEndsWith: maybe(fc.oneof(phone, fc.nat(99).map(String), fc.constantFrom('none', '+'))),
    customerPhoneContains: maybe(fc.oneof(phone.chain(partOf), fc.constantFrom('none', '+'))),
    statuses: maybe(fc.uniqueArray(status)),
    isCompleted: maybe(fc.boolean()),
  })
  .map(({ times: [one, other], ...rest }) => {
    const [createdFrom, createdUntil] = one && other && one > other ? [other, one] : [one, other];
    return Object.fromEntries(
      Object.entries({ createdFrom, createdUntil, ...rest }).filter(([, value]) => value !== undefined),
    );
  });

const fold = (text: string) => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
const digits = (text: string) => text.replace(/\D/g, '');

/** Implements the rules of docs/interface.md#orders. */
function matches(
  order: Order,
  {
    createdFrom,
    createdUntil,
    customerName,
    customerPhoneEndsWith,
    customerPhoneContains,
    statuses,
    isCompleted,
  }: OrderFilter,
) {
  if (createdFrom && order.createdAt < createdFrom) return false;
  if (createdUntil && order.createdAt > createdUntil) return false;
  if (customerName && !fold(order.customerName).includes(fold(customerName))) return false;
  if (
    customerPhoneEndsWith &&
    !(digits(customerPhoneEndsWith) && digits(order.customerPhone).endsWith(digits(customerPhoneEndsWith)))
  )
    return false;
  if (
    customerPhoneContains &&
    !(digits(customerPhoneContains) && digits(order.customerPhone).includes(digits(customerPhoneContains)))
  )
    return false;
  const isOpen = ['PENDING', 'ACCEPTED', 'READY'].includes(order.status);
  if (isCompleted !== undefined && isCompleted === isOpen) return false;
  return !statuses?.length || statuses.includes(order.status);
}

type SortKey = Pick<Order, 'createdAt' | 'id'>;
const newestFirst = (a: SortKey, b: SortKey) =>
  Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

interface Paging {
  readonly pageIndex?: number;
  readonly pageSize?: number;
  readonly first?: number;
  readonly last?: number;
  readonly after: SortKey | undefined;
  readonly before: SortKey | undefined;
}

/** Implements the arguments of the graph; those of cursors as in the Relay Cursor Connections Specification. */
function expected(
  orders: readonly Order[],
  wanted: OrderFilter,
  { pageIndex = 0, pageSize = 0, first, last, after, before }: Paging,
) {
  const all = orders.filter(order => matches(order, wanted)).sort(newestFirst);
  const preceding = after ? all.filter(order => newestFirst(order, after) <= 0) : [];
  const following = before ? all.filter(order => newestFirst(before, order) <= 0) : [];
  const edges = all.filter(order => !preceding.includes(order) && !following.includes(order));
  const from = last === undefined ? pageIndex * pageSize : Math.max(0, edges.length - last);
  const to = from + (first ?? last ?? pageSize);
  const page = edges.slice(from, to);
  return {
    ids: page.map(order => order.id),
    count: all.length,
    hasPreviousPage: pageIndex > 0 || preceding.length > 0 || (last !== undefined && from > 0),
    hasNextPage: following.length > 0 || to < edges.length,
    startCursor: page.slice(0, 1).map(cursorOf).at(0) ?? null,
    endCursor: page.slice(-1).map(cursorOf).at(0) ?? null,
  };
}

const cursorOf = ({ createdAt, id }: SortKey) => encodeCursor('order', { createdAt, id });

const stores = [await createStore(2600), await createStore(40)];

const pageByIndex = fc.oneof(
  { weight: 4, arbitrary: fc.record({ pageIndex: fc.nat(2), pageSize: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 4, arbitrary: fc.record({ pageIndex: fc.nat(9), pageSize: fc.integer({ min: 1, max: 500 }) }) },
  { weight: 4, arbitrary: fc.record({ pageIndex: fc.nat(700), pageSize: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ pageIndex: fc.nat(2_147_483_647), pageSize: fc.constantFrom(1, 500) }) },
);

const size = fc.integer({ min: 1, max: 60 });
const position = maybe(fc.nat(39));
/** Cursors are indexes of orders here. */
const paging = fc.oneof(
  { weight: 3, arbitrary: fc.record({ page: pageByIndex, after: position, before: fc.constant(undefined) }) },
  { weight: 1, arbitrary: fc.record({ page: fc.record({ first: size }), after: position, before: position }) },
  { weight: 1, arbitrary: fc.record({ page: fc.record({ last: size }), after: position, before: position }) },
);

test(`${runs} random searches have the same results as a model in memory`, { timeout: 600_000 }, async () => {
  let nonEmpty = 0;
  const searches = fc.asyncProperty(
    fc.nat(stores.length - 1),
    filter,
    paging,
    async (storeIndex, wanted, { page: request, ...positions }) => {
      const orders = stores[storeIndex] ?? [];
      const after = positions.after === undefined ? undefined : orders[positions.after];
      const before = positions.before === undefined ? undefined : orders[positions.before];
      const storeId = orders
        .slice(0, 1)
        .map(order => order.store)
        .join();
      const cursors = { ...(after && { after: cursorOf(after) }), ...(before && { before: cursorOf(before) }) };
      const page = await search(storeId, { filter: wanted, ...request, ...cursors });
      expect(page).toEqual(expected(orders, wanted, { ...request, after, before }));
      if (page.ids.length > 0) nonEmpty++;
    },
  );
  await fc.assert(searches, { numRuns: runs });
  // Ensures that the generators produce filters that match.
  expect(nonEmpty).toBeGreaterThan(runs / 10);
});
