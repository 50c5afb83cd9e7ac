import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrderFilter } from '../../src/generated/graph.ts';
import { type Cursor, encodeCursor } from '../../src/order/arguments.ts';
import { type Order, orderStatuses } from '../../src/order/entities.ts';
import { createData } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, order, saveOrders } from '../support/orders.ts';

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
    phoneNumber: maybe(fc.oneof(phone, fc.nat(99).map(String), fc.constantFrom('none', '+'))),
    status: maybe(fc.uniqueArray(status)),
  })
  .map(({ times: [one, other], ...rest }) => {
    const [startTime, endTime] = one && other && one > other ? [other, one] : [one, other];
    return Object.fromEntries(
      Object.entries({ startTime, endTime, ...rest }).filter(([, value]) => value !== undefined),
    );
  });

const fold = (text: string) => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
const digits = (text: string) => text.replace(/\D/g, '');

/** Implements the rules of docs/interface.md#orders. */
function matches(order: Order, { startTime, endTime, customerName, phoneNumber, status: statuses }: OrderFilter) {
  if (startTime && order.createdAt < startTime) return false;
  if (endTime && order.createdAt > endTime) return false;
  if (customerName && !fold(order.customerName).includes(fold(customerName))) return false;
  if (phoneNumber && !(digits(phoneNumber) && digits(order.customerPhone).endsWith(digits(phoneNumber)))) return false;
  return !statuses?.length || statuses.includes(order.status);
}

type SortKey = Pick<Order, 'createdAt' | 'id'>;
const newestFirst = (a: SortKey, b: SortKey) =>
  Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

interface Paging {
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly after: SortKey | undefined;
}

function expected(orders: readonly Order[], wanted: OrderFilter, { pageIndex, pageSize, after }: Paging) {
  const all = orders.filter(order => matches(order, wanted)).sort(newestFirst);
  const rest = after ? all.filter(order => newestFirst(after, order) < 0) : all;
  const page = rest.slice(pageIndex * pageSize, (pageIndex + 1) * pageSize);
  return {
    ids: page.map(order => order.id),
    count: all.length,
    hasNextPage: rest.length > (pageIndex + 1) * pageSize,
    endCursor: page.length > 0 ? page.slice(-1).map(cursorOf).join() : null,
  };
}

const cursorOf = ({ createdAt, id }: SortKey) => encodeCursor({ createdAt, orderId: id } satisfies Cursor);

const stores = [await createStore(2600), await createStore(40)];

const paging: fc.Arbitrary<Omit<Paging, 'after'>> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ pageIndex: fc.nat(2), pageSize: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 4, arbitrary: fc.record({ pageIndex: fc.nat(9), pageSize: fc.integer({ min: 1, max: 500 }) }) },
  { weight: 4, arbitrary: fc.record({ pageIndex: fc.nat(700), pageSize: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ pageIndex: fc.nat(2_147_483_647), pageSize: fc.constantFrom(1, 500) }) },
);

test(`${runs} random searches have the same results as a model in memory`, { timeout: 600_000 }, async () => {
  let nonEmpty = 0;
  const searches = fc.asyncProperty(
    fc.nat(stores.length - 1),
    filter,
    paging,
    maybe(fc.nat(39)),
    async (storeIndex, wanted, { pageIndex, pageSize }, at) => {
      const orders = stores[storeIndex] ?? [];
      const after = at === undefined ? undefined : orders[at];
      const storeId = orders
        .slice(0, 1)
        .map(order => order.store)
        .join();
      const args = { filter: wanted, pageIndex, pageSize, ...(after && { after: cursorOf(after) }) };
      const page = await search(storeId, args);
      expect(page).toEqual(expected(orders, wanted, { pageIndex, pageSize, after }));
      if (page.ids.length > 0) nonEmpty++;
    },
  );
  await fc.assert(searches, { numRuns: runs });
  // Ensures that the generators produce filters that match.
  expect(nonEmpty).toBeGreaterThan(runs / 10);
});
