import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();

/** Reads a list of orders. */
async function ordersOf(store: { readonly id: string }, query: string) {
  const { status, body } = await app.get(`/v1/stores/${store.id}/orders/${query}`);
  expect({ status, body }).toMatchObject({ status: 200, body: { result_code: '000000', result_message: 'Success' } });
  return body;
}

describe('Empty, repeated and unknown parameters', async () => {
  const store = await app.data.store();
  await app.data.orders(store, 3);

  test.each([
    ['page_size', 'int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
    ['start_time', 'datetime_parsing', 'Input should be a valid datetime, such as 2026-03-01T18:30:00Z'],
  ])('?%s= is 422', async (name, type, msg) => {
    const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?${name}=`);
    expect(status).toBe(422);
    expect(body).toEqual({ detail: [{ loc: ['query', name], msg, type }] });
  });

  test.each(['customer_name', 'phone_number', 'status'])('?%s= sets no condition', async name => {
    expect(await ordersOf(store, `?${name}=`)).toMatchObject({ count: 3 });
  });

  test('the last one of a repeated parameter wins', async () => {
    expect(await ordersOf(store, '?page_size=x&page_size=2')).toMatchObject({ page_size: 2 });
  });

  test.each([
    '?status[]=READY',
    '?status%5B%5D=READY',
    '?status[0]=READY',
    '?status%5B0%5D=READY',
    '?status[]=READY&status[]=FULFILLED',
    '?status[0]=FULFILLED&status[1]=READY',
    '?status%5b1%5d=READY&status=FULFILLED',
    '?status[]=&status[]=READY',
  ])('a list may be written with brackets: %s', async query => {
    const busy = await app.data.store();
    await app.data.orders(busy, 2);
    const [ready] = await app.data.orders(busy, 1, { status: 'READY' });
    const { count, order_result_list: orders } = await ordersOf(busy, query);
    expect([count, orders.map(({ id }: { id: string }) => id)]).toEqual([1, [ready?.id]]);
  });

  test('an unknown value in brackets is 422 at the parameter', async () => {
    const { status, body } = await app.get(`/v1/stores/${store.id}/orders/?status[]=READY&status[]=WRONG`);
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['query', 'status', 1], type: 'enum' }]);
  });

  test('?status[]= sets no condition', async () => {
    expect(await ordersOf(store, '?status[]=')).toMatchObject({ count: 3 });
  });

  test('brackets at a parameter that is no list are an unknown parameter', async () => {
    expect(await ordersOf(store, '?page_size[]=1')).toMatchObject({ page_size: 50 });
  });

  test('an unknown parameter is ignored', async () => {
    expect(await ordersOf(store, '?colour=red&__proto__=1')).toMatchObject({ count: 3 });
  });
});
