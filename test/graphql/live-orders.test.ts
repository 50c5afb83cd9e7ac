import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifyCounters } from '../../src/order/counters.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';

const app = await startApp();
const allDay = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({
  dayOfWeek,
  timePeriods: [{ startTime: '00:00', endTime: '00:00' }],
}));
const { createStore, postMenu, tryToPlace, place, change, mark, poller } = createOrderCalls(app);

test('an evening: orders are placed, accepted, refused, prepared and fulfilled, and each change is seen once', async () => {
  const storeId = await createStore();
  const poll = poller(storeId);
  const pollOpen = poller(storeId, '?status=PENDING,ACCEPTED,READY');
  /** The statuses of all orders and of the open ones after a change; before it and after it, nothing is new. */
  const seen = async () => {
    const [all, open] = [await poll(), await pollOpen()];
    expect([await poll(), await pollOpen()]).toEqual([undefined, undefined]);
    const statuses = all.order_result_list.map((order: { status: string }) => order.status);
    expect([all.count, open.count]).toEqual([statuses.length, open.order_result_list.length]);
    return [statuses, open.count];
  };
  expect(await seen()).toEqual([[], 0]);

  const first = await place(storeId, ['1 soup: bread/roll']);
  expect(await seen()).toEqual([['PENDING'], 1]);
  const accepted = await change(first.id, 'ACCEPTED', 'PENDING');
  expect(accepted.order).toMatchObject({ status: 'ACCEPTED', completedAt: null });
  expect(accepted.order.store.ordersRevision).toBeGreaterThan(first.store.ordersRevision);
  expect(await seen()).toEqual([['ACCEPTED'], 1]);

  const soldOut = await app.graphql(
    'mutation ($id: ID!) { setStock(input: { storeId: $id, items: [{ externalId: "soup", inStock: false }] }) { store { menuRevision } } }',
    { id: storeId },
  );
  expect(soldOut.body.errors).toBeUndefined();
  expect(await poll()).toBeUndefined();
  const refused = await tryToPlace(inputFor(storeId, [line('1 soup: bread/roll'), line('1 cola')]));
  expect(refused.error?.extensions.errors).toEqual([
    { path: ['input', 'lines', 0, 'itemExternalId'], type: 'sold_out', message: 'item "soup" is sold out' },
  ]);
  expect(await poll()).toBeUndefined();

  const second = await place(storeId, ['1 cola']);
  expect(await seen()).toEqual([['PENDING', 'ACCEPTED'], 2]);
  expect(second.store.orders.totalCount).toBe(2);
  await change(second.id, 'REJECTED');
  expect(await seen()).toEqual([['REJECTED', 'ACCEPTED'], 1]);

  const marked = await mark([first.id, second.id], { isRead: true });
  expect(marked.orders.map(({ id, isRead, inPos }: typeof first) => [id, isRead, inPos])).toEqual([
    [first.id, true, false],
    [second.id, true, false],
  ]);
  expect(await seen()).toEqual([['REJECTED', 'ACCEPTED'], 1]);
  expect((await mark([second.id, first.id], { isRead: true })).orders).toHaveLength(2);
  expect(await poll()).toBeUndefined();

  await change(first.id, 'READY');
  expect(await seen()).toEqual([['REJECTED', 'READY'], 1]);
  const fulfilled = await change(first.id, 'FULFILLED');
  expect(fulfilled.order).toMatchObject({ status: 'FULFILLED', nextStatuses: [], completedAt: expect.any(String) });
  expect(await seen()).toEqual([['REJECTED', 'FULFILLED'], 0]);

  const { body } = await app.get(`/v1/orders/${first.id}`);
  expect(body).toMatchObject({ status: 'FULFILLED', is_read: true, in_pos: false, price: 640, tax: 64 });
  expect(body.completed_at).toBe(fulfilled.order.completedAt);
  const found = await app.get(`/v1/stores/${storeId}/orders/?customer_name=LIMA&phone_number=345678`);
  expect(found.body.count).toBe(2);
  expect(await verifyCounters(operatorFork(app.orm))).toEqual([]);
});

describe('the price of a placed order', async () => {
  const storeId = await createStore();

  test.each([
    { lines: ['1 cola'], price: 250, tax: 58, why: 'one item' },
    { lines: ['3 cola'], price: 750, tax: 174, why: '3 × 250, 3 × 58' },
    { lines: ['1 burger: size/large'], price: 1250, tax: 125, why: '1000 + 250, 100 + 25' },
    { lines: ['1 burger: size/regular, toppings/cheese*2'], price: 1000, tax: 100, why: 'two toppings are free' },
    {
      lines: ['1 burger: size/regular, toppings/cheese*2, toppings/bacon'],
      price: 1150,
      tax: 115,
      why: 'the third topping is the bacon: 1000 + 150, 100 + 15',
    },
    {
      lines: ['1 burger: toppings/bacon, size/regular, toppings/cheese*2'],
      price: 1120,
      tax: 112,
      why: 'the third topping is the second cheese: 1000 + 120, 100 + 12',
    },
    {
      lines: ['2 burger: size/large, toppings/onion, toppings/cheese*2, toppings/bacon'],
      price: 3040,
      tax: 304,
      why: 'onion and one cheese are free: 2 × (1000 + 250 + 120 + 150), 2 × (100 + 25 + 12 + 15)',
    },
    { lines: ['1 cola: ice/no-ice'], price: 230, tax: 54, why: '250 − 20, 58 − 4' },
    {
      lines: ['1 deal: drink/with-beer'],
      price: 1500,
      tax: 200,
      why: 'the drink is free, and its own price is not added',
    },
    {
      lines: ['2 cola: ice/no-ice', '1 deal: drink/with-cola', '1 burger: size/regular'],
      price: 2960,
      tax: 408,
      why: '2 × 230 + 1500 + 1000, 2 × 54 + 200 + 100',
    },
  ])('$why', async ({ lines, price, tax }) => {
    expect(await place(storeId, lines)).toMatchObject({ price, tax, status: 'PENDING' });
  });

  test('has lines in the documented shape, in the graph and in REST', async () => {
    const text = '2 burger: size/large, toppings/onion, toppings/cheese*2, toppings/bacon';
    const input = inputFor(storeId, [line(text, { note: 'no salt' }), line('1 cola')]);
    const { order } = await tryToPlace({
      ...input,
      customerComments: 'at the back door',
      readyBy: '2100-03-01T19:30:00Z',
    });
    const name = (en: string) => ({ translations: { en, pt: `${en} (pt)` } });
    const expected = [
      {
        external_id: 'burger',
        name: name('burger'),
        quantity: 2,
        price: 1000,
        tax: 100,
        modifiers: [
          ['large', 'size', 1, 250, 25, 0],
          ['onion', 'toppings', 1, 80, 8, 1],
          ['cheese', 'toppings', 2, 120, 12, 1],
          ['bacon', 'toppings', 1, 150, 15, 0],
        ].map(([external_id, group_external_id, quantity, price_change, tax_change, free_quantity]) => ({
          external_id,
          group_external_id,
          name: name(String(external_id)),
          quantity,
          price_change,
          tax_change,
          ...(free_quantity !== 0 && { free_quantity }),
        })),
        note: 'no salt',
      },
      { external_id: 'cola', name: name('cola'), quantity: 1, price: 250, tax: 58, modifiers: [] },
    ];
    expect(order.items).toEqual(expected);
    const { body } = await app.get(`/v1/orders/${order.id}`);
    expect(body.items).toEqual(expected);
    expect(Object.keys(body.items[0])).toEqual(Object.keys(expected[0] ?? {}));
    expect(body).toMatchObject({
      id: order.id,
      created_at: order.createdAt,
      store: { id: storeId },
      customer: { name: 'Ana Lima', phone: '+351 912 345 678' },
      customer_comments: 'at the back door',
      ready_by: '2100-03-01T19:30:00.000Z',
      is_read: false,
      in_pos: false,
    });
    expect(body).not.toHaveProperty('completed_at');
  });

  test('is that of one configuration, while others replace it', async () => {
    const store = await createStore();
    const replace = async () => {
      for (let round = 1; round <= 8; round++) await postMenu(store, [], round % 2 === 0 ? 0 : 7);
    };
    const order = async () => {
      for (let round = 1; round <= 8; round++) orders.push(await place(store, ['2 cola', '3 burger: size/regular']));
    };
    const orders: { readonly price: number }[] = [];
    await Promise.all([replace(), order(), order()]);
    // 2 × 250 + 3 × 1000, and five units that cost 7 more.
    expect(orders.filter(({ price }) => price !== 3500 && price !== 3535)).toEqual([]);
    expect(orders).toHaveLength(16);
  });

  test('is ready after the longest preparation time if no time is given', async () => {
    const { createdAt, readyBy } = await place(storeId, ['1 cola', '1 burger: size/regular']);
    expect(Date.parse(readyBy) - Date.parse(createdAt)).toBe(15 * 60_000);
  });
});

describe('an order is refused', async () => {
  const storeId = await createStore(['onion', 'beer', 'soup']);
  const before = await app.get(`/v1/stores/${storeId}/orders/`);

  test('with every reason at once, each with its path', async () => {
    const lines = [
      line('1 pizza'),
      line('1 soup'),
      line('1 beer'),
      line('0 pancakes'),
      line('1 off-menu'),
      line('1 burger: toppings/cheese*3, toppings/onion, toppings/bacon*2, ice/no-ice'),
      line('1 burger: size/huge'),
      line('1 burger: size/large, size/regular'),
      line('1 burger: size/large, size/large'),
      line('1 deal: drink/with-beer'),
      line('1 cola: ice/no-ice*0', { note: 'x'.repeat(1001) }),
    ];
    const readyBy = '2100-03-01T11:00:00Z';
    const input = inputFor(storeId, lines, { readyBy, idempotencyKey: '', customer: { name: '', phone: '1\0' } });
    const { error } = await tryToPlace(input);
    expect(error?.extensions.code).toBe('BAD_USER_INPUT');
    const found = error?.extensions.errors.map(({ path, type, message }) => `${path.join('.')} ${type}: ${message}`);
    expect(found).toEqual([
      'input.customer.phone value_error: Value error, the character U+0000 is not allowed',
      'input.idempotencyKey string_too_short: the text is empty',
      'input.customer.name string_too_short: the text is empty',
      'input.lines.3.quantity greater_than_equal: 0 is too small; it must be at least 1',
      'input.lines.10.note string_too_long: the text has 1001 characters; at most 1000 are allowed',
      'input.lines.10.modifiers.0.quantity greater_than_equal: 0 is too small; it must be at least 1',
      'input.lines.0.itemExternalId reference_not_found: no item has the external id "pizza"',
      'input.lines.1.itemExternalId sold_out: item "soup" is sold out',
      'input.lines.1.modifiers greater_than_equal: modifier item "roll" of group "bread" must be chosen at least once, not 0 times',
      'input.lines.2.itemExternalId sold_out: item "beer" is sold out',
      'input.lines.2.itemExternalId not_sold_separately: item "beer" is not sold separately, only as a modifier',
      'input.lines.3.itemExternalId not_available: item "pancakes" is in the menu "breakfast", which is not available on Monday at 11:00 by the clock of the store',
      'input.lines.4.itemExternalId not_available: item "off-menu" is in no menu, so it is never available',
      'input.lines.5.modifiers.1.modifierItemExternalId sold_out: modifier item "onion" is sold out',
      'input.lines.5.modifiers.3.modifierGroupExternalId reference_not_found: item "burger" has no modifier group "ice"',
      'input.lines.5.modifiers greater_than_equal: modifier group "size" must be chosen at least once, not 0 times',
      'input.lines.5.modifiers less_than_equal: modifier group "toppings" must be chosen at most 4 times, not 6 times',
      'input.lines.5.modifiers.0.quantity less_than_equal: modifier item "cheese" of group "toppings" must be chosen at most 2 times, not 3 times',
      'input.lines.6.modifiers.0.modifierItemExternalId reference_not_found: modifier group "size" has no modifier item "huge"',
      'input.lines.7.modifiers less_than_equal: modifier group "size" must be chosen at most once, not 2 times',
      'input.lines.8.modifiers.1.modifierItemExternalId duplicate_reference: modifier item "large" is already chosen at index 0; add up the quantities',
      'input.lines.9.modifiers.0.modifierItemExternalId sold_out: modifier item "with-beer" stands for item "beer", which is sold out',
    ]);
  });

  test('at a time when no menu with the item is available, by the clock of the store', async () => {
    const at = (readyBy: string) => tryToPlace(inputFor(storeId, [line('1 pancakes')], { readyBy }));
    // Lisbon is at UTC+1 in July.
    expect((await at('2100-07-01T06:00:00Z')).order.price).toBe(700);
    expect((await at('2100-01-07T06:00:00Z')).error?.message).toContain('Thursday at 06:00 by the clock of the store');
  });

  test('if it must be ready more than an hour in the past', async () => {
    const at = (readyBy: string) => tryToPlace(inputFor(storeId, [line('1 cola')], { readyBy }));
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    expect((await at(minutesAgo(59))).order.price).toBe(250);
    const early = minutesAgo(61);
    expect((await at(early)).error?.extensions.errors).toEqual([
      {
        path: ['input', 'readyBy'],
        type: 'value_error',
        message: expect.stringMatching(
          `^${early} is too early; it must be at most an hour in the past, so \\d{4}-\\S+Z or later$`,
        ),
      },
    ]);
  });

  test('if the price or the tax of one unit falls below zero, at its line', async () => {
    const store = await app.data.store();
    const name = { translations: {} };
    const item = { name, price: 500, tax: 50, sellSeparately: true, modifierGroupExternalIds: ['coupons'] };
    const coupon = { name, minQuantity: 0, defaultQuantity: 0, maxQuantity: 1_000_000 };
    await app.data.menu(store, {
      menus: [{ externalId: 'menu', availability: allDay, categoryExternalIds: ['category'] }],
      categories: [{ externalId: 'category', name, itemExternalIds: ['soup', 'cake'] }],
      items: [
        { externalId: 'soup', ...item },
        { externalId: 'cake', ...item, price: -1 },
      ],
      modifierGroups: [
        {
          externalId: 'coupons',
          name,
          type: 'x',
          groupMin: 0,
          groupMax: 1_000_000,
          chargeAfter: 1,
          modifierItemExternalIds: ['coupon', 'untaxed'],
        },
      ],
      modifierItems: [
        { externalId: 'coupon', ...coupon, priceChange: -100, taxChange: 0 },
        { externalId: 'untaxed', ...coupon, priceChange: 0, taxChange: -60 },
      ],
    });
    const lines = [
      '1 soup: coupons/coupon*6',
      '1000 soup: coupons/coupon*1000000',
      '1 cake',
      '1 soup: coupons/untaxed*2',
    ];
    const { error } = await tryToPlace(
      inputFor(
        store.id,
        lines.map(text => line(text)),
      ),
    );
    const refused = (index: number, amount: string) => ({
      path: ['input', 'lines', index],
      type: 'value_error',
      message: `the ${amount}; it must be at least 0`,
    });
    expect(error?.extensions.errors).toEqual([
      refused(1, 'price of one item "soup" with its modifiers is -99999400'),
      refused(2, 'price of one item "cake" with its modifiers is -1'),
      refused(3, 'tax of one item "soup" with its modifiers is -10'),
    ]);
    // The first coupon is free.
    expect(await place(store.id, ['2 soup: coupons/coupon*6'])).toMatchObject({ price: 0, tax: 100 });
  });

  test('with a bounded number of reasons, however many groups each line lacks', async () => {
    const ids = Array.from({ length: 2000 }, (_, index) => `group-${index}`);
    const large = await app.data.store();
    const name = { translations: {} };
    const group = { name, type: 'x', groupMin: 1, groupMax: 1, chargeAfter: 0 };
    await app.data.menu(large, {
      items: [{ externalId: 'item', name, price: 1, tax: 0, sellSeparately: true, modifierGroupExternalIds: ids }],
      modifierGroups: ids.map(externalId => ({ ...group, externalId })),
    });
    const lines = Array(200).fill({ itemExternalId: 'item' });
    const { error } = await tryToPlace(inputFor(large.id, lines));
    expect(error?.extensions.errors).toHaveLength(1000);
  });

  test('if it has no lines, or too many', async () => {
    const refusal = async (lines: object[]) => (await tryToPlace(inputFor(storeId, lines))).error?.extensions.errors;
    expect(await refusal([])).toMatchObject([{ path: ['input', 'lines'], type: 'too_short' }]);
    expect(await refusal(Array(201).fill(line('1 cola')))).toMatchObject([{ type: 'too_long' }]);
    const modifiers = Array(101).fill({ modifierGroupExternalId: 'x', modifierItemExternalId: 'x' });
    expect((await refusal([{ itemExternalId: 'cola', modifiers }]))?.[0]).toMatchObject({ type: 'too_long' });
  });

  test('and leaves no trace: no order, no counter, no revision, no key', async () => {
    const store = await createStore();
    const poll = poller(store);
    await poll();
    const input = inputFor(store, [line('1 pizza')]);
    expect((await tryToPlace(input)).error).toBeDefined();
    expect(await poll()).toBeUndefined();
    expect((await tryToPlace({ ...input, lines: [line('1 cola')] })).order.price).toBe(250);
    expect(before.body.count).toBe(0);
  });
});

describe('an idempotency key', async () => {
  const storeId = await createStore();

  test('returns its order, however long ago that had to be ready', async () => {
    onTestFinished(() => void vi.useRealTimers());
    const readyBy = new Date().toISOString();
    const input = inputFor(await createStore(), [line('1 cola')], { readyBy });
    const { order } = await tryToPlace(input);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 });
    expect((await tryToPlace(input)).order.id).toBe(order.id);
    const late = await tryToPlace({ ...input, idempotencyKey: 'another' });
    expect(late.error?.extensions.errors).toMatchObject([{ path: ['input', 'readyBy'] }]);
  });

  test('returns the same order to repeated and concurrent calls, as it is now', async () => {
    const input = inputFor(storeId, [{ itemExternalId: 'cola' }]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => tryToPlace(input)));
    expect(new Set(answers.map(({ order }) => order?.id)).size).toBe(1);
    const { id } = answers[0]?.order ?? {};
    await change(id, 'ACCEPTED');
    await postMenu(storeId, ['cola']);
    // Defaults and omitted values are the same order.
    const repeated = await tryToPlace({ ...input, lines: [line('1 cola', { note: null })], customerComments: null });
    expect(repeated.order).toMatchObject({ id, status: 'ACCEPTED' });
    expect((await app.get(`/v1/stores/${storeId}/orders/`)).body.count).toBe(1);
    await postMenu(storeId);
  });

  test('is refused for another order, and free at another store', async () => {
    const input = inputFor(storeId, [line('1 cola')]);
    const { order } = await tryToPlace(input);
    const { error } = await tryToPlace({ ...input, lines: [line('2 cola')] });
    expect(error?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input', 'idempotencyKey'], type: 'idempotency_key_reused' }],
    });
    expect(error?.message).toContain(`of order ${order.id}, which differs from this one; use a new key`);
    const elsewhere = await tryToPlace({ ...input, storeId: await createStore(), lines: [line('2 cola')] });
    expect(elsewhere.order.price).toBe(500);
  });

  test('is kept for a day, and deleted with a later order', async () => {
    const keys = (): Promise<{ readonly key: string }[]> =>
      app.orm.em.fork().execute('select key from order_idempotency_key where store_id = ?', [store]);
    const store = await createStore();
    await place(store, ['1 cola'], { idempotencyKey: 'old' });
    await place(store, ['1 cola'], { idempotencyKey: 'recent' });
    await app.orm.em
      .fork()
      .execute(`update order_idempotency_key set created_at = now() - interval '25 hours' where key = 'old'`);
    await place(store, ['1 cola'], { idempotencyKey: 'new' });
    expect((await keys()).map(({ key }) => key).sort()).toEqual(['new', 'recent']);
  });

  test('does not place an order again that was deleted', async () => {
    const input = inputFor(storeId, [line('1 cola')]);
    const { order } = await tryToPlace(input);
    await app.orm.em.fork().execute('delete from orders where id = ?', [order.id]);
    expect((await tryToPlace(input)).error?.message).toContain(`order ${order.id}, which was deleted`);
  });
});
