import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';
import { allDay, createGuest, guestHeaders, openStore, orderOf } from '../support/guests.ts';
import { startReceiver } from '../support/receiver.ts';

const receiver = await startReceiver();
const { guestOrders, guestOrderCheck } = readConfig({
  CARTE_GUEST_ORDERS_PER_ADDRESS: '20',
  CARTE_GUEST_ORDERS_PER_STORE: '12',
  CARTE_GUEST_ORDERS_PENDING_PER_ADDRESS: '0',
  CARTE_GUEST_ORDERS_PENDING_PER_STORE: '0',
  CARTE_GUEST_ORDER_CHECK: receiver.urlOf('/check'),
  CARTE_GUEST_ORDER_CHECK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
});
const app = await startApp({ guestOrders, guestOrderCheck, trustedProxies: ['127.0.0.0/8'] });
const execute = <Row extends object>(sql: string, values: unknown[] = []) =>
  app.orm.em.fork().execute<Row[]>(sql, values);
const ordersOf = (storeId: string) =>
  execute<{ name: string; price: number; readyBy: Date }>(
    'select customer_name as name, price::int as price, ready_by as "readyBy" from orders where store_id = ?',
    [storeId],
  );

/** Guests of a store of its own, each at an address, and its menu with one item of a price. */
async function shopOf(storeId: string) {
  const store = await openStore(app, storeId);
  const headers = await guestHeaders(app, storeId);
  const { menus, ...rest } = smallMenu('Soup');
  return {
    at: (address: string) => createGuest(app, { ...headers, 'x-forwarded-for': address }),
    setMenu: (change: object) =>
      app.data.menu(store, {
        ...rest,
        menus: (menus ?? []).map(menu => ({ ...menu, availability: allDay })),
        items: (rest.items ?? []).map(item => ({ ...item, ...change })),
      }),
  };
}

type Body = Awaited<ReturnType<ReturnType<typeof createGuest>['place']>>;
const problemsOf = ({ errors }: Body) => errors?.[0].extensions.errors ?? errors;
const isPlaced = ({ data }: Body) => data?.placeOrder != null;

describe('An order that the operator has checked', () => {
  test('is refused if a price has changed since, naming both totals', async () => {
    const { at, setMenu } = await shopOf('dearer');
    const guest = at('203.0.113.1');
    await setMenu({ price: 950 });
    receiver.respond('/check', async response => {
      await setMenu({ price: 1000 });
      response.end();
    });
    expect(problemsOf(await guest.place(orderOf('dearer')))).toEqual([
      {
        path: ['input'],
        type: 'quote_changed',
        message: 'the order has changed while it was checked: the total is 2000, not 1900',
      },
    ]);
    expect(await ordersOf('dearer')).toEqual([]);
    // The price is the same from now on.
    expect(isPlaced(await guest.place(orderOf('dearer')))).toBe(true);
    expect(await ordersOf('dearer')).toMatchObject([{ price: 2000 }]);
  });

  test.for([
    ['a tax', { tax: 1 }],
    ['a name', { name: { en: 'Stew' } }],
    ['the time that it takes', { preparationMinutes: 600 }],
  ] as const)('is refused if %s has changed since, at the same total', async ([what, change]) => {
    const storeId = `same total ${what}`;
    const { at, setMenu } = await shopOf(storeId);
    receiver.respond('/check', async response => {
      await setMenu(change);
      response.end();
    });
    expect(problemsOf(await at('203.0.113.1').place(orderOf(storeId)))).toMatchObject([{ type: 'quote_changed' }]);
    expect(await ordersOf(storeId)).toEqual([]);
  });

  test('is ready when the operator was told, however long the check takes', async () => {
    const { at } = await shopOf('slow');
    receiver.accept('/check');
    expect(isPlaced(await at('203.0.113.1').place(orderOf('slow')))).toBe(true);
    const [stored] = await ordersOf('slow');
    expect(stored?.readyBy).toEqual(new Date(receiver.at('/check').at(-1)?.message.data.order.ready_by));
  });

  test('is refused if what was sold out at first, and so not checked, is in stock again', async () => {
    const { at, setMenu } = await shopOf('restocked');
    await setMenu({ inStock: false });
    receiver.accept('/check');
    const checks = receiver.at('/check').length;
    const { placing } = await app.orm.em.fork().transactional(async tx => {
      await tx.execute("select from store where id = 'restocked' for update");
      const order = at('203.0.113.1').place(orderOf('restocked'));
      const isWaiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      await expect.poll(() => execute(isWaiting)).toHaveLength(1);
      await tx.execute("update menu_item set in_stock = true where store_id = 'restocked'");
      await tx.execute("update store set menu_revision = menu_revision + 1 where id = 'restocked'");
      return { placing: order };
    });
    expect(problemsOf(await placing)).toMatchObject([{ type: 'quote_changed' }]);
    expect([await ordersOf('restocked'), receiver.at('/check').length]).toEqual([[], checks]);
  });

  test('is not checked if its guest has a name that is refused anyway', async () => {
    const { at } = await shopOf('named');
    const checks = receiver.at('/check').length;
    const customer = { name: 'x'.repeat(256), phone: '' };
    expect(problemsOf(await at('203.0.113.1').place(orderOf('named', { customer })))).toHaveLength(1);
    expect(receiver.at('/check').length).toBe(checks);
  });

  // The short form of drills/guest-orders.ts.
  test('has the price that was checked, of many beside a menu that changes all the time', async () => {
    const { at, setMenu } = await shopOf('changing');
    let isEnding = false;
    let change = setMenu({ price: 900 });
    const changing = (async () => {
      for (let count = 0; !isEnding; count++) {
        await change;
        change = setMenu({ price: count % 4 < 2 ? 900 : 1000 });
      }
    })();
    receiver.respond('/check', async response => {
      await change;
      response.end();
    });
    const guests = Array.from({ length: 30 }, (_, index) => at(`203.0.113.${index}`));
    const bodies = await Promise.all(
      guests.map((guest, index) => guest.place(orderOf('changing', { customer: { name: `${index}`, phone: '' } }))),
    );
    isEnding = true;
    await changing;
    const types = bodies.filter(body => !isPlaced(body)).map(body => problemsOf(body)[0].type ?? 'too many');
    expect(['quote_changed', 'too many']).toEqual(expect.arrayContaining([...new Set(types)]));
    const checked = new Map(
      receiver.at('/check').map(({ message }) => [message.data.order.customer.name, message.data.order.total]),
    );
    const stored = await ordersOf('changing');
    expect(stored).toHaveLength(bodies.filter(isPlaced).length);
    expect(stored.map(({ price }) => price)).toEqual(stored.map(({ name }) => checked.get(name)));
  });
});

describe('expectedTotal', () => {
  const placing = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id total { amount } } } }';

  test('is what the order must cost, whoever places it', async () => {
    const { at } = await shopOf('expected');
    receiver.accept('/check');
    const place = async (given: object) => (await app.graphql(placing, { input: orderOf('expected', given) })).body;
    const stated = (expectedTotal: number) => ({
      path: ['input', 'expectedTotal'],
      type: 'quote_changed',
      message: `the total is 2000, not ${expectedTotal} as expected`,
    });
    const tipped = { tip: 100 };
    expect(problemsOf(await place({ ...tipped, expectedTotal: 1900 }))).toEqual([stated(1900)]);
    expect((await place({ ...tipped, expectedTotal: 2000 })).data.placeOrder.order.total.amount).toBe(2000);
    const checks = receiver.at('/check').length;
    const guest = at('203.0.113.1');
    const refused = await guest.place(orderOf('expected', { ...tipped, expectedTotal: 2001 }));
    expect(problemsOf(refused)).toEqual([stated(2001)]);
    expect(receiver.at('/check').length).toBe(checks);
    expect(isPlaced(await guest.place(orderOf('expected', { ...tipped, expectedTotal: 2000 })))).toBe(true);
  });

  test('is refused with every other reason, and belongs to what is repeated', async () => {
    await shopOf('repeated');
    const place = async (input: object) => (await app.graphql(placing, { input })).body;
    const early = { readyBy: '2020-01-01T12:00:00Z', expectedTotal: 1 };
    const types = problemsOf(await place(orderOf('repeated', early))).map(({ type }: { type: string }) => type);
    expect(types).toEqual(['value_error', 'quote_changed']);
    const input = orderOf('repeated', { expectedTotal: 1900 });
    const first = await place(input);
    expect(await place(input)).toEqual(first);
    expect(problemsOf(await place({ ...input, expectedTotal: 1800 }))).toMatchObject([
      { type: 'idempotency_key_reused' },
    ]);
  });
});

describe('Orders of guests an hour', () => {
  test('are those that were placed, for a store: attempts that were refused count for their addresses', async () => {
    const { at } = await shopOf('hour');
    receiver.respond('/check', response => response.writeHead(422).end('{"message":"No."}'));
    const attackers = ['203.0.113.1', '203.0.113.2'].map(at);
    for (const attacker of attackers) {
      const attempts = await Promise.all(Array.from({ length: 20 }, () => attacker.place(orderOf('hour'))));
      expect(attempts.map(body => problemsOf(body)[0].message)).toEqual(Array(20).fill('No.'));
      const { errors } = await attacker.place(orderOf('hour'));
      expect(errors[0].message).toContain('An address may place 20 orders an hour.');
    }
    receiver.accept('/check');
    expect(isPlaced(await at('203.0.113.3').place(orderOf('hour')))).toBe(true);
  });

  test('are no more, however many are checked at once', async () => {
    const { at } = await shopOf('at once');
    const all = Promise.withResolvers<void>();
    let waiting = 0;
    receiver.respond('/check', async response => {
      waiting += 1;
      if (waiting === 15) all.resolve();
      await all.promise;
      response.end();
    });
    const guests = Array.from({ length: 15 }, (_, index) => at(`203.0.113.${index}`));
    const bodies = await Promise.all(guests.map(guest => guest.place(orderOf('at once'))));
    expect(bodies.filter(isPlaced)).toHaveLength(12);
    expect(await ordersOf('at once')).toHaveLength(12);
  });
});
