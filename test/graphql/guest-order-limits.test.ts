import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createGuestOrders } from '../../src/order/guests.ts';
import { startApp } from '../support/app.ts';
import { createGuest, guestHeaders, openStore, orderOf, placing } from '../support/guests.ts';
import { startReceiver, verify } from '../support/receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const receiver = await startReceiver();
const config = readConfig({
  CARTE_GUEST_ORDERS_PER_ADDRESS: '10',
  CARTE_GUEST_ORDERS_PER_STORE: '14',
  CARTE_GUEST_ORDERS_PENDING_PER_ADDRESS: '3',
  CARTE_GUEST_ORDERS_PENDING_PER_STORE: '5',
  CARTE_GUEST_ORDER_CHECK: receiver.urlOf('/check'),
  CARTE_GUEST_ORDER_CHECK_SECRET: secret,
  CARTE_GUEST_ORDER_CHECK_SECONDS: '1',
});
const { guestOrders, guestOrderCheck } = config;
const app = await startApp({ guestOrders, guestOrderCheck, trustedProxies: ['127.0.0.0/8'] });
const execute = (sql: string) => app.orm.em.fork().execute(sql);

/** A guest of a store of its own, at an address. */
async function guestOf(storeId: string) {
  await openStore(app, storeId);
  const headers = await guestHeaders(app, storeId);
  return (address: string) => createGuest(app, { ...headers, 'x-forwarded-for': address });
}

type Body = Awaited<ReturnType<ReturnType<typeof createGuest>['place']>>;
const outcomeOf = ({ data, errors }: Body): string =>
  data?.placeOrder ? 'placed' : `${errors[0].extensions.code}: ${errors[0].message}`;
const placedOf = (bodies: readonly Body[]) => bodies.filter(body => outcomeOf(body) === 'placed').length;
const times = <T>(count: number, run: () => Promise<T>) => Promise.all(Array.from({ length: count }, run));

describe('Orders of guests that the store has not decided on', () => {
  test('are limited for an address and for a store, however many are placed at once', async () => {
    const at = await guestOf('pending');
    const first = await times(4, () => at('203.0.113.1').place(orderOf('pending')));
    expect(placedOf(first)).toBe(3);
    expect(first.map(outcomeOf)).toContain(
      'TOO_MANY_REQUESTS: The store has too many orders from this address to decide on. Try again in 60 seconds.',
    );
    const others = [at('203.0.113.2'), at('203.0.113.2'), at('203.0.113.3'), at('203.0.113.3')];
    const second = await Promise.all(others.map(guest => guest.place(orderOf('pending'))));
    expect(placedOf(second)).toBe(2);
    expect(second.map(outcomeOf)).toContain(
      'TOO_MANY_REQUESTS: The store has too many orders of guests to decide on. Try again in 60 seconds.',
    );
    // As an error of a route: clients and proxies know it by its status, and when to try again by the header.
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const headers = { ...at('203.0.113.1').headers, accept };
      const { status, headers: found } = await app.graphql(placing, { input: orderOf('pending') }, headers);
      expect([status, found.get('retry-after')]).toEqual([429, '60']);
    }
    await execute("update orders set status = 'ACCEPTED' where store_id = 'pending'");
    expect(outcomeOf(await at('203.0.113.1').place(orderOf('pending')))).toBe('placed');
    // What a store with a secret key places is not a guest's.
    const secretly = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { status } } }';
    const placed = await times(8, () => app.graphql(secretly, { input: orderOf('pending') }));
    expect(placed.every(({ body }) => body.data.placeOrder.order.status === 'PENDING')).toBe(true);
  });
});

describe('Orders of guests an hour', () => {
  test('are limited for an address and for a store; what is refused or repeated does not count', async () => {
    const at = await guestOf('hour');
    const accept = () => execute("update orders set status = 'ACCEPTED' where store_id = 'hour'");
    const guest = at('203.0.113.1');
    const repeated = orderOf('hour');
    const place = async (input: object) => {
      const outcome = outcomeOf(await guest.place(input));
      await accept();
      return outcome;
    };
    for (let count = 0; count < 12; count++) {
      expect(await place(orderOf('hour', { tip: -1 }))).toContain('BAD_USER_INPUT');
      expect(await place(repeated)).toBe('placed');
    }
    const outcomes = [];
    for (let count = 0; count < 10; count++) outcomes.push(await place(orderOf('hour')));
    expect(outcomes.filter(outcome => outcome === 'placed')).toHaveLength(9);
    expect(outcomes.at(-1)).toMatch(
      /^TOO_MANY_REQUESTS: An address may place 10 orders an hour\. Try again in \d+ seconds\.$/,
    );
    const others = [];
    for (let count = 0; count < 5; count++) {
      others.push(outcomeOf(await at('203.0.113.9').place(orderOf('hour'))));
      await accept();
    }
    expect(others.filter(outcome => outcome === 'placed')).toHaveLength(4);
    expect(others.at(-1)).toContain('The store gets too many orders of guests. Try again in');
  });

  test('are limited for a key, and not at all by 0', () => {
    const limits = { ...guestOrders, perAddress: 0, perStore: 0, perKey: 2 };
    const { countAttempt, countPlaced } = createGuestOrders(limits);
    const order = { keyId: 'shop', storeId: 'hour' };
    const giveBack = countPlaced(order);
    countPlaced(order);
    for (const count of [countAttempt, countPlaced]) {
      const message = 'There are too many orders with this API key. Try again in 1800 seconds.';
      expect(() => count(order)).toThrow(message);
      expect(() => count({ ...order, keyId: 'another' })).not.toThrow();
    }
    giveBack();
    expect(() => countPlaced(order)).not.toThrow();
  });
});

describe('A store', () => {
  test('stops orders of guests and starts them again, whatever its state is', async () => {
    const at = await guestOf('stopped');
    const guest = at('203.0.113.4');
    const set = async (input: string) => {
      const mutation = `mutation { setStoreOrdering(input: { storeId: "stopped", ${input} }) {
        store { ordering { state until acceptsGuestOrders } }
      } }`;
      return (await app.graphql(mutation)).body.data.setStoreOrdering.store.ordering;
    };
    const until = '2035-01-01T00:00:00.000Z';
    expect(await set(`state: BUSY, delayMinutes: 5, until: "${until}"`)).toMatchObject({ acceptsGuestOrders: true });
    expect(await set('acceptsGuestOrders: false')).toEqual({ state: 'BUSY', until, acceptsGuestOrders: false });
    expect(outcomeOf(await guest.place(orderOf('stopped')))).toContain('the store takes no orders of guests for now');
    const quote =
      'query ($input: QuoteOrderInput!) { quoteOrder(input: $input) { problems { path code } } store(id: "stopped") { ordering { acceptsGuestOrders } } }';
    const input = { storeId: 'stopped', lines: [{ itemExternalId: 'item' }] };
    expect((await guest.send(quote, { input })).data).toEqual({
      quoteOrder: { problems: [{ path: ['input', 'storeId'], code: 'STORE_PAUSED' }] },
      store: { ordering: { acceptsGuestOrders: false } },
    });
    expect((await app.graphql(quote, { input })).body.data.quoteOrder.problems).toEqual([]);
    expect(await set('state: OPEN')).toEqual({ state: 'OPEN', until: null, acceptsGuestOrders: false });
    expect(await set('acceptsGuestOrders: true')).toEqual({ state: 'OPEN', until: null, acceptsGuestOrders: true });
    expect(outcomeOf(await guest.place(orderOf('stopped')))).toBe('placed');
    await set('state: PAUSED, reason: "flood"');
    expect(outcomeOf(await guest.place(orderOf('stopped')))).toContain('the store takes no orders for now (flood)');
  });

  test('needs a state or whether guests order, and details only with the state', async () => {
    const change = async (input: string) => {
      const mutation = `mutation { setStoreOrdering(input: { storeId: "hour", ${input} }) { store { id } } }`;
      return (await app.graphql(mutation)).body.errors[0].extensions.errors.map(({ path }: { path: string[] }) =>
        path.at(-1),
      );
    };
    expect(await change('reason: "x", delayMinutes: 5')).toEqual(['state', 'reason', 'delayMinutes']);
    expect(await change('acceptsGuestOrders: true, until: "2035-01-01T00:00:00Z"')).toEqual(['until']);
  });
});

describe('The check by the operator', async () => {
  const at = await guestOf('checked');
  const guest = at('203.0.113.5');
  const last = () => receiver.at('/check').at(-1);

  test('gets a signed request with the order and what the page has passed, once', async () => {
    receiver.accept('/check');
    const input = orderOf('checked', { verification: 'captcha-1', tip: 50 });
    expect(outcomeOf(await guest.place(input))).toBe('placed');
    const received = last();
    if (!received) throw new Error('Nothing was received');
    expect(() => verify(received, secret)).not.toThrow();
    const { type, data } = received.message;
    expect(type).toBe('guest_order.check');
    expect(data).toMatchObject({
      store_id: 'checked',
      client_address: '203.0.113.5',
      idempotency_key: input.idempotencyKey,
      verification: 'captcha-1',
      order: { customer: input.customer, price: 1900, tip: 50, total: 1950, currency: 'EUR' },
    });
    expect(data.order.items).toMatchObject([{ external_id: 'item', quantity: 2 }]);
    expect(received.body).not.toContain('carte_');
    // Another captcha, since each is valid once: it is the same order, and not checked again.
    expect(outcomeOf(await guest.place({ ...input, verification: 'captcha-2' }))).toBe('placed');
    expect(last()).toBe(received);
  });

  test('refuses an order with its text, and nothing is stored', async () => {
    receiver.respond('/check', response => response.writeHead(422).end('{"message":"Please solve the captcha."}'));
    const { errors } = await guest.place(orderOf('checked'));
    expect(errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input'], type: 'value_error', message: 'Please solve the captcha.' }],
    });
    const [row] = await execute("select count(*)::int as count from orders where store_id = 'checked'");
    expect(row).toEqual({ count: 1 });
  });

  test('fails, and so does the order, which can be placed again', async () => {
    const input = orderOf('checked');
    const failures = [500, 301, 422].map(status => () => receiver.respond('/check', status));
    const hang = () => receiver.respond('/check', () => {});
    const exceed = () =>
      receiver.respond('/check', response =>
        response.writeHead(422).end(JSON.stringify({ message: 'x'.repeat(16 * 1024) })),
      );
    for (const fail of [...failures, hang, exceed]) {
      fail();
      expect(outcomeOf(await guest.place(input))).toBe(
        'UNAVAILABLE: The order cannot be checked at the moment, and was not placed.',
      );
    }
    // What follows the status does not matter.
    receiver.respond('/check', response => response.write('…'));
    expect(outcomeOf(await guest.place(input))).toBe('placed');
  });

  test('keeps nobody waiting who orders nothing', async () => {
    const waiting = Promise.withResolvers<void>();
    const before = receiver.at('/check').length;
    receiver.respond('/check', () => receiver.at('/check').length === before + 4 && waiting.resolve());
    const patient = at('203.0.113.6');
    const ended: string[] = [];
    const orders = times(4, () => patient.place(orderOf('checked')).then(() => ended.push('order')));
    await waiting.promise;
    expect((await patient.send('{ store(id: "checked") { id } }', {})).data).toEqual({ store: { id: 'checked' } });
    expect(ended).toEqual([]);
    await orders;
    receiver.accept('/check');
  });

  test('is not made for an order that is refused anyway, nor for one of a secret key', async () => {
    const before = last();
    expect(outcomeOf(await guest.place(orderOf('checked', { lines: [{ itemExternalId: 'no' }] })))).toContain('no');
    const secretly = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { status } } }';
    const placed = await app.graphql(secretly, { input: orderOf('checked') });
    expect(placed.body.data.placeOrder.order.status).toBe('PENDING');
    const verified = await app.graphql(secretly, { input: orderOf('checked', { verification: 'x' }) });
    expect(verified.body.errors[0].extensions.errors).toMatchObject([{ path: ['input', 'verification'] }]);
    expect(last()).toBe(before);
  });
});
