import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { verifyCounters } from '../../src/order/counters.ts';
import { eraseGuest } from '../../src/order/guest-data.ts';
import { run } from '../cli/support.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { endOfLog, readEvents } from '../support/events.ts';
import { guest, traces } from '../support/guest.ts';
import { createGuest, guestHeaders, openStore, orderOf } from '../support/guests.ts';
import { writeSet } from '../support/operations.ts';
import { startReceiver } from '../support/receiver.ts';
import { urlOf } from '../support/url.ts';

const ownMessage = `query guestOrders($order_id: ID!) @webhook(events: [ORDER_PLACED, ORDER_CHANGED]) {
  order(id: $order_id) { customer { name phone } address { addressLine1 note } customerComments items }
}`;
const receiver = await startReceiver();
const app = await startApp({
  operations: [writeSet('own', { 'orders.graphql': ownMessage })],
  webhooks: { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] },
});
const { primary } = await createReadAccess(app.orm);
const em = operatorFork(app.orm);
const admin = { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) };
const phones = ['351 919 000 777', '919000777'];
const mutation = 'mutation ($input: EraseGuestInput!) { eraseGuest(input: $input) { orderCount storeCount } }';
const erase = (input: object, headers: Record<string, string> = admin) => app.graphql(mutation, { input }, headers);
const snapshot = () => app.orm.em.fork().execute('select md5(string_agg(o::text, chr(10) order by id)) from orders o');

describe('eraseGuest', () => {
  test('empties the data of the guest at all stores of the merchant, with one event each', async () => {
    const merchant = (await app.data.merchant()).id;
    const stores = [await app.data.store({ merchant }), await app.data.store({ merchant })];
    for (const store of stores) {
      await app.data.orders(store, 3, guest);
      await app.data.orders(store, 2, { ...guest, customerPhone: '919.000.777' });
    }
    const [, { id: storeId } = { id: '' }] = stores;
    const [other] = await app.data.orders(stores[0] ?? expect.fail(), 1, { customerPhone: '351919000778' });
    const list = `/v1/stores/${storeId}/orders/`;
    const before = await app.get(list);
    const start = await endOfLog(primary);

    const { body } = await erase({ phones, merchantId: merchant });
    expect(body.data.eraseGuest).toEqual({ orderCount: 10, storeCount: 2 });

    expect(await traces(em)).toEqual([]);
    const events = await readEvents(primary, { after: start, limit: 100 });
    expect(events.map(({ kind, storeId: id }) => [kind, id]).sort()).toEqual(
      stores.map(({ id }) => ['ORDERS_CHANGED', id]).sort(),
    );
    const after = await app.get(list, { 'if-none-match': String(before.headers.get('etag')) });
    expect(after.status).toBe(200);
    expect(after.body.count).toBe(5);
    expect(after.body.order_result_list[0]).toEqual({
      ...before.body.order_result_list[0],
      customer: { name: '', phone: '' },
      customer_comments: after.body.order_result_list[0].customer_comments,
      items: [
        { external_id: 'soup', name: { translations: { en: 'Soup' } }, quantity: 2, price: 600, tax: 60 },
        { sku: 'S-1', price: 1.5, options: [{ qty: 1, label: '' }] },
        { sku: 'S-2', label: '', till: '', tel: null, guest_count: 2, is_requested: true },
      ],
    });
    expect((await app.get(`/v1/orders/${other?.id}`)).body.customer.name).toBe('Ana Lima');
    expect(await verifyCounters(em)).toEqual([]);
    expect((await erase({ phones, merchantId: merchant })).body.data.eraseGuest).toEqual({
      orderCount: 0,
      storeCount: 0,
    });
  });

  test('ends the tokens of the guest', async () => {
    await openStore(app, 'web');
    const page = createGuest(app, await guestHeaders(app, 'web'));
    const [token, another] = [
      await page.order(orderOf('web', { customer: { name: 'Zenobia Quist', phone: '351 919 000 777' } })),
      await page.order(orderOf('web')),
    ];
    expect((await erase({ phones, all: true })).body.data.eraseGuest.orderCount).toBe(1);
    expect([await page.read(token), (await page.read(another))?.status]).toEqual([null, 'PENDING']);
    expect(await app.orm.em.fork().execute('select from guest_token')).toHaveLength(1);
  });

  test('leaves nothing of an order, in whatever way it was placed, changed and reported', async () => {
    const store = await openStore(app, 'ways');
    for (const operation of [null, 'guestOrders']) {
      const path = `/${operation}`;
      const kinds = ['ORDER_PLACED', 'ORDER_CHANGED'];
      const input = { url: receiver.urlOf(path), storeId: store.id, operation, kinds };
      const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
      expect((await app.graphql(create, { input }, admin)).body.errors).toBeUndefined();
      // A receiver that quotes what it got.
      receiver.respond(path, (response, { body }) => response.writeHead(500, 'Zenobia').end(body));
    }
    const address = { addressLine1: 'Rua Zenobia 1', note: 'bell of Quist' };
    const customer = { name: 'Zenobia Quist', phone: '919000777' };
    const given = { customer, address, customerComments: 'zenobia', serviceType: 'DELIVERY' };
    const lines = [{ itemExternalId: 'item', quantity: 1, note: 'for Zenobia' }];
    const page = createGuest(app, await guestHeaders(app, store.id));
    const token = await page.order(orderOf(store.id, { ...given, lines }));
    expect((await page.cancel(token)).errors).toBeUndefined();
    const place = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
    const input = orderOf(store.id, {
      ...given,
      lines,
      payments: [{ method: 'card', amount: 1, reference: 'zenobia' }],
    });
    const placed = (await app.graphql(place, { input })).body.data.placeOrder.order;
    const kiosk = {
      ...{ customer, address: { address_line_1: 'Rua Zenobia 1', note: 'Quist' }, customer_comments: 'zenobia' },
      lines: [{ item_external_id: 'item', quantity: 1, note: 'for Zenobia' }],
      payments: [{ method: 'card', amount: 1, reference: 'zenobia' }],
      discounts: [{ name: 'Voucher of Zenobia Quist', amount: 1 }],
    };
    const posted = await app.post(`/pos/v1/stores/${store.id}/orders`, kiosk, { 'idempotency-key': randomUUID() });
    expect(posted.status).toBe(200);
    for (const id of [placed.id, posted.body.id]) {
      const change = { status: 'REJECTED', reason: 'Zenobia did not call back' };
      expect((await app.post(`/pos/v1/orders/${id}/status`, change)).status).toBe(200);
    }
    const imported = { ...posted.body, id: 'imported', store: { id: store.id }, items: guest.items };
    const { code } = await run(['import', 'orders', '-'], { DATABASE_URL: urlOf(app.orm) }, JSON.stringify(imported));
    expect(code).toBe(0);
    const failing = "select from webhook_delivery where error is not null and state = 'FAILING'";
    await expect.poll(() => app.orm.em.fork().execute(failing)).toHaveLength(2);
    expect((await traces(em)).map(column => column.replace('orders.', ''))).toEqual(
      expect.arrayContaining(['customer_name', 'customer_comments', 'items', 'service', 'steps', 'phone_reversed']),
    );

    expect((await erase({ phones, merchantId: store.merchant })).body.data.eraseGuest.orderCount).toBe(4);
    expect(await traces(em)).toEqual([]);
  });

  test('that is interrupted and repeated writes one event for each store', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 6, guest);
    const start = await endOfLog(primary);
    const input = { phones, merchantId: store.merchant };
    // A multiple of the batch, so that the last one is full, too.
    const interrupted = eraseGuest(em, input, { size: 3, onBatch: () => expect.fail('stopped') });
    await expect(interrupted).rejects.toThrow('stopped');
    expect(await readEvents(primary, { after: start, limit: 10 })).toEqual([]);
    expect((await eraseGuest(em, input, { size: 3 })).orders).toBe(3);
    expect(await readEvents(primary, { after: start, limit: 10 })).toMatchObject([
      { kind: 'ORDERS_CHANGED', storeId: store.id },
    ]);
    expect(await traces(em)).toEqual([]);
  });

  test('leaves numbers alone of which a given one is only a part', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 1, { customerPhone: '00351919000777' });
    await app.data.orders(store, 1, { customerPhone: '351919000777' });
    const erased = await erase({ phones: ['351919000777'], all: true });
    expect(erased.body.data.eraseGuest).toEqual({ orderCount: 1, storeCount: 1 });
    const before = await snapshot();
    const { body } = await erase({ phones: ['1919000777', '0351919000777'], all: true });
    expect(body.errors[0].extensions.errors).toEqual(
      [0, 1].map(index => ({
        path: ['input', 'phones', index],
        type: 'value_error',
        message: `telephone number ${index + 1} is only the end of others; give all digits`,
      })),
    );
    expect(await snapshot()).toEqual(before);
  });

  test.each([
    [{ phones: ['123456', '+1 (2x)'] }, ['input.phones.0', 'input.phones.1', 'input.merchantId']],
    [{ phones: [], merchantId: 'nobody' }, ['input.phones', 'input.merchantId']],
    [
      { phones: ['9'.repeat(100)], all: true, merchantId: 'nobody' },
      ['input.phones.0', 'input.merchantId', 'input.merchantId'],
    ],
  ])('refuses %j with every reason, and changes nothing', async (input, paths) => {
    const store = await app.data.store();
    await app.data.orders(store, 1, { customerPhone: '123456' });
    const before = await snapshot();
    const { errors } = (await erase(input)).body;
    const reasons: { path: string[] }[] = errors[0].extensions.errors;
    expect(reasons.map(({ path }) => path.join('.'))).toEqual(paths);
    expect(await snapshot()).toEqual(before);
  });

  test('needs the permission ADMIN', async () => {
    const { body } = await erase({ phones, all: true }, { 'x-api-key': app.key });
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
