import { describe, expect, test } from 'vitest';
import { formerCursor, openStream } from '../../support/streams.ts';
import { sharedApp } from '../support/app.ts';
import { endOfLog } from '../support/events.ts';
import { createGuest, guestHeaders, openStore, orderOf } from '../support/guests.ts';

const app = await sharedApp();
await openStore(app, 'chiado');
const headers = await guestHeaders(app, 'chiado');
const guest = createGuest(app, headers);
const { primary } = app.server.database;
const execute = <T extends object[]>(sql: string, values: unknown[] = []) => app.orm.em.fork().execute<T>(sql, values);
const statusTo = (orderId: string, to: string, more = '') =>
  app.graphql(
    `mutation { changeOrderStatus(input: { orderId: "${orderId}", to: ${to} ${more} }) { order { status } } }`,
  );
const lastOrder = async () => {
  const query = '{ store(id: "chiado") { orders(first: 1) { nodes { id status placedByGuest customer { phone } } } } }';
  return (await app.graphql(query)).body.data.store.orders.nodes[0];
};

describe('placeOrder with a publishable key', () => {
  test('stores what a guest has ordered, and returns a token and what a guest may see', async () => {
    const input = orderOf('chiado', {
      lines: [
        {
          itemExternalId: 'item',
          quantity: 2,
          note: 'hot',
          modifiers: [{ modifierGroupExternalId: 'group', modifierItemExternalId: 'modifier' }],
        },
      ],
      customerComments: 'by the window',
      serviceType: 'DINE_IN',
      table: '7',
      tip: 150,
    });
    const line = 'name { text } quantity note modifiers { name { text } quantity } totalPrice { decimal currency }';
    const money = 'price { amount } tax { amount } tip { amount } total { amount }';
    const query = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { guestToken guestOrder {
      number status statusReason confirmedReadyBy completedAt serviceType table customerComments lines { ${line} } ${money}
    } } }`;
    const { data, errors } = await guest.send(query, { input });
    expect(errors).toBeUndefined();
    const { guestToken, guestOrder } = data.placeOrder;
    expect(guestToken).toMatch(/^carte_guest_[\w-]{22}$/);
    const order = await lastOrder();
    expect(order).toMatchObject({ status: 'PENDING', placedByGuest: true, customer: { phone: '+351 912 345 678' } });
    expect(guestOrder).toEqual({
      number: order.id.slice(-4),
      status: 'PENDING',
      statusReason: null,
      confirmedReadyBy: null,
      completedAt: null,
      serviceType: 'DINE_IN',
      table: '7',
      customerComments: 'by the window',
      lines: [
        {
          name: { text: 'Soup' },
          quantity: 2,
          note: 'hot',
          modifiers: [{ name: { text: 'Soup' }, quantity: 1 }],
          totalPrice: { decimal: '21.00', currency: 'EUR' },
        },
      ],
      price: { amount: 2100 },
      tax: { amount: 210 },
      tip: { amount: 150 },
      total: { amount: 2250 },
    });
    expect(await guest.read(guestToken)).toEqual({ number: guestOrder.number, status: 'PENDING' });
  });

  test('returns the same order with the same idempotency key, with a new token, and ends the old one', async () => {
    const input = orderOf('chiado');
    const [first, second] = [await guest.order(input), await guest.order(input)];
    expect(second).not.toBe(first);
    expect([await guest.read(first), (await guest.read(second))?.status]).toEqual([null, 'PENDING']);
  });

  test('refuses payments, charges and discounts at their paths, and the quote has the same problems', async () => {
    const amounts = {
      payments: [{ method: 'card', amount: 1 }],
      charges: [{ name: 'c', amount: 1 }],
      discounts: [{ name: 'd', amount: 1 }],
    };
    const { errors } = await guest.place(orderOf('chiado', { ...amounts, tip: -1 }));
    const found = errors[0].extensions.errors.map(({ path }: { path: string[] }) => path.join('.')).toSorted();
    expect(found).toEqual(['input.charges', 'input.discounts', 'input.payments', 'input.tip']);
    const { idempotencyKey: _, customer: _guest, ...quoted } = orderOf('chiado', { ...amounts, tip: -1 });
    const query = 'query ($input: QuoteOrderInput!) { quoteOrder(input: $input) { problems { path } } }';
    const { problems } = (await guest.send(query, { input: quoted })).data.quoteOrder;
    expect(problems.map(({ path }: { path: string[] }) => path.join('.')).toSorted()).toEqual(found);
  });

  test('is null for a store that is not in the scope of the key', async () => {
    expect(await guest.place(orderOf('no-such-store'))).toEqual({ data: { placeOrder: null } });
  });

  test('has neither token nor order of a guest with a secret key', async () => {
    const query = `mutation ($input: PlaceOrderInput!) {
      placeOrder(input: $input) { order { placedByGuest } guestToken guestOrder { status } }
    }`;
    const { placeOrder } = (await app.graphql(query, { input: orderOf('chiado') })).body.data;
    expect(placeOrder).toEqual({ order: { placedByGuest: false }, guestToken: null, guestOrder: null });
  });
});

describe('cancelGuestOrder', () => {
  test('cancels a pending order, once and again, and no other', async () => {
    const token = await guest.order(orderOf('chiado'));
    for (let time = 0; time < 2; time++) {
      expect((await guest.cancel(token)).data.cancelGuestOrder.guestOrder.status).toBe('CUSTOMER_CANCELLED');
    }
    const accepted = await guest.order(orderOf('chiado'));
    await statusTo((await lastOrder()).id, 'ACCEPTED');
    const { data, errors } = await guest.cancel(accepted);
    expect([data.cancelGuestOrder, errors[0].extensions.code]).toEqual([null, 'CONFLICT']);
    expect((await guest.read(accepted)).status).toBe('ACCEPTED');
  });
});

describe('a token', () => {
  test('works with its key after a rotation', async () => {
    const rotating = createGuest(app, await guestHeaders(app, 'chiado'));
    const token = await rotating.order(orderOf('chiado'));
    const admin = { 'x-api-key': await app.newKey({ all: true, permissions: ['ADMIN'] }) };
    const viewer = (await app.graphql('{ viewer { id } }', {}, rotating.headers)).body;
    expect(viewer.errors[0].extensions.code).toBe('FORBIDDEN');
    const [last] = await execute<[{ apiKeyId: string }]>(
      'select placed_by as "apiKeyId" from orders where placed_by is not null order by created_at desc limit 1',
    );
    const rotate = 'mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret } }';
    const { secret: key } = (await app.graphql(rotate, { input: last }, admin)).body.data.rotateApiKey;
    const rotated = createGuest(app, { ...rotating.headers, 'x-api-key': key });
    expect((await rotated.read(token))?.status).toBe('PENDING');
  });

  test('ends a day after the order is completed', async () => {
    const token = await guest.order(orderOf('chiado'));
    const { id } = await lastOrder();
    await statusTo(id, 'REJECTED', 'reason: "no soup left"');
    const query = 'query ($token: String!) { guestOrder(token: $token) { status statusReason } }';
    expect((await guest.send(query, { token })).data.guestOrder).toEqual({
      status: 'REJECTED',
      statusReason: 'no soup left',
    });
    await execute("update orders set completed_at = now() - interval '23 hours 59 minutes' where id = ?", [id]);
    expect(await guest.read(token)).not.toBeNull();
    await execute("update orders set completed_at = now() - interval '1 day' where id = ?", [id]);
    expect(await guest.read(token)).toBeNull();
  });
});

const service = { url: app.url, key: String(headers['x-api-key']) };
const query = `subscription ($token: String!, $after: String) {
  guestOrderEvents(token: $token, after: $after) { cursor order { status confirmedReadyBy } }
}`;

test('guestOrderEvents reads no events of other orders, however old its cursor is', async () => {
  const token = await guest.order(orderOf('chiado'));
  const { id } = await lastOrder();
  const position = await endOfLog(primary);
  await execute(`insert into event_inbox (kind, store_id, order_id, status)
    select 'ORDER_CHANGED', 'chiado', 'another', 'READY' from generate_series(1, 1000)`);
  await statusTo(id, 'ACCEPTED');
  await endOfLog(primary);
  const after = formerCursor('guestOrderEvents', { storeId: 'chiado', position });
  const stream = openStream('sse', service, { query, variables: { token, after } });
  const { result, statements } = await app.statements.during(() => stream.next());
  stream.close();
  expect(result.data.guestOrderEvents.order.status).toBe('ACCEPTED');
  // A page has 200 events.
  expect(statements.filter(text => text.includes('from event where position'))).toHaveLength(1);
});

describe.each(['sse', 'websocket'] as const)('guestOrderEvents over %s', transport => {
  test('has the changes of the order alone, and goes on after a cursor', async () => {
    const token = await guest.order(orderOf('chiado'));
    const { id } = await lastOrder();
    const after = formerCursor('guestOrderEvents', { storeId: 'chiado', position: await endOfLog(primary) });
    await guest.order(orderOf('chiado'));
    await statusTo(id, 'ACCEPTED', 'confirmedReadyBy: "2035-01-01T12:00:00Z"');
    const stream = openStream(transport, service, { query, variables: { token, after } });
    const { cursor, order } = (await stream.next()).data.guestOrderEvents;
    expect(order).toEqual({ status: 'ACCEPTED', confirmedReadyBy: '2035-01-01T12:00:00.000Z' });
    stream.close();
    await statusTo(id, 'READY');
    await statusTo(id, 'FULFILLED');
    const resumed = openStream(transport, service, { query, variables: { token, after: cursor } });
    const statuses = (await resumed.take(2)).map(({ data }) => data.guestOrderEvents.order.status);
    expect(statuses).toEqual(['FULFILLED', 'FULFILLED']);
    resumed.close();
  });

  test('ends when a new token is issued', async () => {
    const input = orderOf('chiado');
    const token = await guest.order(input);
    const stream = openStream(transport, service, { query, variables: { token } });
    const next = stream.next();
    await guest.order(input);
    await statusTo((await lastOrder()).id, 'ACCEPTED');
    const { errors } = await next;
    expect(errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', errors: [{ path: ['token'] }] } });
    stream.close();
  });
});
