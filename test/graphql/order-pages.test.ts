import { expect, test } from 'vitest';
import type { StoreOrdersArgs } from '../../src/generated/graph.ts';
import { createData, order } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { createOrderGraph, namesOf, saveOrders } from '../support/orders.ts';

const orm = await createDatabase();
const data = createData(orm);
const { search, findErrors } = createOrderGraph(orm);

const newest = Date.UTC(2026, 2, 1);
const createdAt = (index: number) => new Date(newest - index * 600_000);

/** Creates a store with orders ten minutes apart, numbered from the newest. */
async function createStore(count: number): Promise<string> {
  const { id } = await data.store();
  const orders = Array.from({ length: count }, (_, index) =>
    order(id, { id: `${index} of ${id}`, createdAt: createdAt(index) }),
  );
  await saveOrders(orm, orders);
  return id;
}

test('pages are consecutive, and each has the total count', async () => {
  const store = await createStore(5);
  const pages = [];
  for (const pageIndex of [0, 1, 2]) pages.push(await search(store, { pageIndex, pageSize: 2 }));
  expect(pages.map(page => namesOf(page.ids))).toEqual([['0', '1'], ['2', '3'], ['4']]);
  expect(pages.map(page => page.hasNextPage)).toEqual([true, true, false]);
  expect(pages.map(page => page.count)).toEqual([5, 5, 5]);
});

test.each([
  {},
  { statuses: ['PENDING' as const] },
  { customerName: 'ana' },
  { customerName: 'a' },
  { customerPhoneEndsWith: '8' },
])('a page beyond the last is empty, with the filter %j', async filter => {
  const store = await createStore(3);
  for (const pageIndex of [1, 2_147_483_647]) {
    const page = await search(store, { filter, pageIndex, pageSize: 500 });
    expect(page).toMatchObject({ ids: [], count: 3, hasNextPage: false, endCursor: null });
  }
});

test.each<NonNullable<StoreOrdersArgs['filter']>>([
  {},
  { statuses: ['PENDING'] },
  { statuses: ['PENDING', 'READY'] },
  { customerName: 'a' },
  { customerName: 'ana' },
  { customerPhoneEndsWith: '8' },
])('deep pages, found by skipping whole days, have the right orders, with the filter %j', async filter => {
  const store = await createStore(1500);
  // A day has 144 orders: the indexes are at the start of skipping, at the edges of days, and the last one.
  const indexes = [499, 500, 501, 719, 720, 721, 863, 864, 865, 1399];
  for (const [start, createdUntil] of [
    [0, undefined],
    [100, createdAt(100)],
  ] as const) {
    for (const index of indexes) {
      const page = { filter: { ...filter, ...(createdUntil && { createdUntil }) }, pageIndex: index, pageSize: 1 };
      expect(namesOf((await search(store, page)).ids)).toEqual([String(start + index)]);
    }
  }
});

test('a page has 1 to 500 orders', async () => {
  const store = await createStore(501);
  expect((await search(store, { pageSize: 1 })).ids).toHaveLength(1);
  expect((await search(store, { pageSize: 500 })).ids).toHaveLength(500);
  expect(await findErrors({ pageSize: 0 })).toMatchObject([{ path: ['pageSize'], type: 'greater_than_equal' }]);
});

test('all errors are reported at once', async () => {
  expect(await findErrors({ pageIndex: -1, pageSize: 501, first: 0, last: 501, after: '' })).toMatchObject([
    { path: ['pageIndex'], type: 'greater_than_equal', message: '-1 is too small; it must be at least 0' },
    { path: ['pageSize'], type: 'less_than_equal', message: '501 is too large; it must be at most 500' },
    { path: ['first'], type: 'greater_than_equal', message: '0 is too small; it must be at least 1' },
    { path: ['last'], type: 'less_than_equal', message: '501 is too large; it must be at most 500' },
    { path: ['after'], type: 'value_error' },
    { path: ['last'], type: 'value_error' },
    { path: ['pageIndex'], type: 'value_error' },
    { path: ['pageSize'], type: 'value_error' },
  ]);
});

test('a cursor continues after its order, whatever was created since', async () => {
  const store = await createStore(5);
  const { endCursor } = await search(store, { pageSize: 2 });
  await saveOrders(orm, [order(store, { createdAt: new Date('2026-04-01T00:00:00Z') })]);
  const second = await search(store, { pageSize: 2, after: endCursor });
  expect(namesOf(second.ids)).toEqual(['2', '3']);
  expect(second.count).toBe(6);
  const third = await search(store, { pageSize: 2, pageIndex: 1, after: endCursor });
  expect(namesOf(third.ids)).toEqual(['4']);
});

const base64 = (text: string) => Buffer.from(text).toString('base64url');
const cursor = base64('order2 1 a\0');

test.each([
  '',
  'x',
  '!',
  base64('no cursor'),
  base64('order2 9999999999999999 a\0'),
  base64('order2 -99999999999999 a\0'),
  base64('order2 1 \0\0'),
  // Of another version, of another list, and truncated.
  base64('order1 1 a\0'),
  base64('store2 1 a\0'),
  base64('order2 1 a'),
])('the cursor "%s" is rejected', async cursor => {
  expect(await findErrors({ after: cursor, before: cursor })).toEqual([
    { path: ['after'], type: 'value_error', message: `"${cursor}" is not a cursor of this list` },
    { path: ['before'], type: 'value_error', message: `"${cursor}" is not a cursor of this list` },
  ]);
});

test.each<[Partial<StoreOrdersArgs>, string, string]>([
  [{ first: 1, last: 1 }, 'last', 'cannot be combined with first'],
  [{ pageIndex: 0, first: 1 }, 'pageIndex', 'cannot be combined with first'],
  [{ pageIndex: 1, before: cursor }, 'pageIndex', 'cannot be combined with before'],
  [{ pageSize: 1, last: 1, before: cursor }, 'pageSize', 'cannot be combined with last, before'],
])('arguments that exclude each other are rejected: %j', async (args, name, message) => {
  expect(await findErrors(args)).toEqual([{ path: [name], type: 'value_error', message }]);
});
