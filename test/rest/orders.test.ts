import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const at = (time: string) => new Date(time);
const enumMessage =
  "Input should be 'PENDING', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'ACCEPTED', 'REJECTED', 'READY' or 'FULFILLED'";

/** Reads a list of orders; adds their ids in order. */
async function ordersOf(store: { readonly id: string }, query: string) {
  const { status, body } = await app.get(`/v1/stores/${store.id}/orders/${query}`);
  expect({ status, body }).toMatchObject({ status: 200, body: { result_code: '000000', result_message: 'Success' } });
  return { ...body, ids: body.order_result_list.map(({ id }: { id: string }) => id) };
}

describe('Order list ordering', () => {
  test('created_at descending, then id descending', async () => {
    const store = await app.data.store();
    const ids = ['b', 'c', 'a'].map(letter => `${letter}-${randomUUID()}`);
    for (const id of ids) await app.data.orders(store, 1, { id, createdAt: at('2026-03-01T12:00:00Z') });
    const [late] = await app.data.orders(store, 1, { createdAt: at('2026-03-01T12:00:01Z') });
    expect((await ordersOf(store, '')).ids).toEqual([late?.id, ids[1], ids[0], ids[2]]);
  });
});

describe('start_time, end_time', async () => {
  const store = await app.data.store();
  const times = ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z', '2026-03-01T16:30:00Z', '2026-03-02T00:00:00Z'];
  for (const time of times) await app.data.orders(store, 1, { createdAt: at(time) });

  test.each([
    ['?start_time=2026-03-01T00:00:00Z', 3],
    ['?end_time=2026-03-01T00:00:00Z', 2],
    ['?start_time=2026-03-01T00:00:00Z&end_time=2026-03-01T00:00:00Z', 1],
    ['?start_time=2026-03-01', 3],
    ['?start_time=2026-03-01T16:30:00', 2],
    ['?start_time=2026-03-01%2016:30', 2],
    ['?start_time=2026-03-01T18:30:00%2B02:00', 2],
    ['?start_time=2026-03-01T18:30:00+02:00', 2],
    ['?start_time=2026-03-01T11:30:00-05:00', 2],
    ['?start_time=2026-03-01T18:30:01+02:00', 1],
    ['?start_time=2027-01-01', 0],
  ])('%s finds %i', async (query, count) => {
    expect(await ordersOf(store, query)).toMatchObject({ count });
  });

  test('start after end is 422', async () => {
    const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?start_time=2026-03-02&end_time=2026-03-01`);
    expect(status).toBe(422);
    const msg = 'Value error, the start 2026-03-02T00:00:00.000Z is after the end 2026-03-01T00:00:00.000Z';
    expect(body.detail).toEqual([{ loc: ['query', 'start_time'], msg, type: 'value_error' }]);
  });
});

describe('customer_name', () => {
  test('of one or two letters is rejected where it would be compared with more than 50,000 orders', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 2, { customerName: '王伟' });
    const list = (query: string) =>
      app.get(`/v1/stores/${store.id}/orders/?customer_name=${encodeURIComponent('王伟')}${query}`);
    expect((await list('')).body.count).toBe(2);
    // By the counters, so that the test needs no such number of orders.
    const statement = "update order_count set n = 50001 where store_id = ? and day < 'infinity'";
    await app.orm.em.fork().execute(statement, [store.id]);
    const { status, body } = await list('');
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['query', 'customer_name'], type: 'value_error' }]);
    expect(body.detail[0].msg).toContain('is too short to be searched in 50001 orders');
    expect((await list('&start_time=2026-04-01T00:00:00Z')).body.count).toBe(0);
    expect((await list('%20Lee')).status).toBe(200);
    const query =
      'query ($id: ID!) { store(id: $id) { orders(filter: { customerPhoneContains: "912" }) { totalCount } } }';
    const byDigits = await app.graphql(query, { id: store.id });
    expect(byDigits.body.errors[0].message).toContain(
      'filter.customerPhoneContains: "912" cannot be searched in 50001 orders: give the last digits as customerPhoneEndsWith',
    );
  });
});

describe('customer_name, phone_number, status', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 1, { customerName: 'ÉRIC Лев', customerPhone: '+351 912-345-678', status: 'READY' });
  await app.data.orders(store, 1, { customerName: '100% Ana_', customerPhone: '00 44 20', status: 'PENDING' });

  test.each([
    ['?customer_name=%C3%A9ric', 1],
    ['?customer_name=%D0%BB%D0%B5%D0%B2', 1],
    ['?customer_name=%25', 1],
    ['?customer_name=_', 1],
    ['?customer_name=a', 1],
    ['?customer_name=zoe', 0],
    ['?phone_number=912345678', 1],
    ['?phone_number=%2B351%20912%20345%20678', 1],
    ['?phone_number=678', 1],
    ['?phone_number=351', 0],
    ['?phone_number=none', 0],
    ['?status=READY', 1],
    ['?status=READY,PENDING', 2],
    ['?status=REJECTED', 0],
    ['?status=READY&customer_name=ana', 0],
    ['?status=PENDING&customer_name=ana', 1],
  ])('%s finds %i', async (query, count) => {
    expect(await ordersOf(store, query)).toMatchObject({ count });
  });

  test('an unknown status is 422 naming the allowed ones', async () => {
    const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?status=LATE`);
    expect(status).toBe(422);
    expect(body).toEqual({ detail: [{ loc: ['query', 'status'], msg: enumMessage, type: 'enum' }] });
  });
});

describe('page_index, page_size, count', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 52);

  test('pages start at 0 and have 50 orders by default', async () => {
    expect(await ordersOf(store, '')).toMatchObject({ page_index: 0, page_size: 50, count: 52, ids: { length: 50 } });
    expect(await ordersOf(store, '?page_index=1')).toMatchObject({ page_index: 1, ids: { length: 2 } });
  });

  test('count includes all matches, not only the page', async () => {
    expect(await ordersOf(store, '?page_size=1')).toMatchObject({ page_size: 1, count: 52, ids: { length: 1 } });
  });

  test('beyond the last page the list is empty', async () => {
    expect(await ordersOf(store, '?page_index=2147483647&page_size=500')).toMatchObject({ count: 52, ids: [] });
  });

  test.each([
    ['page_index=-1', 'page_index', 'greater_than_equal', 'Input should be greater than or equal to 0'],
    ['page_size=0', 'page_size', 'greater_than_equal', 'Input should be greater than or equal to 1'],
    ['page_size=501', 'page_size', 'less_than_equal', 'Input should be less than or equal to 500'],
  ])('?%s is 422', async (query, name, type, msg) => {
    const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?${query}`);
    expect(status).toBe(422);
    expect(body).toEqual({ detail: [{ loc: ['query', name], msg, type }] });
  });
});
