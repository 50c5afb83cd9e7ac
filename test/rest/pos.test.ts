import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';
import type { Permission } from '../../src/scope.ts';
import { sharedApp } from '../support/app.ts';
import { undescribed } from '../support/described.ts';

const app = await sharedApp();
const { primary } = await createReadAccess(app.orm);

async function createStore() {
  const store = await app.data.store();
  await app.data.menu(store, allDay());
  const key = await app.newKey({ storeIds: [store.id] });
  const headers = { 'x-api-key': key };
  const path = `/pos/v1/stores/${store.id}`;
  await sequenceEvents(primary);
  const { body } = await app.get(`${path}/events`, headers);
  return {
    store,
    path,
    start: String(body.next),
    get: (url: string) => app.get(url, headers),
    post: (url: string, sent: object, more = {}) => app.post(url, sent, { ...headers, ...more }),
    orders: (count: number, given = {}) => app.data.orders(store, count, given),
  };
}

/** One item, always available. */
function allDay() {
  const name = { translations: { en: 'Soup' } };
  const timePeriods = [{ startTime: '00:00', endTime: '00:00' }];
  const availability = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({ dayOfWeek, timePeriods }));
  return {
    menus: [{ externalId: 'menu', availability, categoryExternalIds: ['soups'] }],
    categories: [{ externalId: 'soups', name, itemExternalIds: ['soup'] }],
    items: [{ externalId: 'soup', name, price: 500, tax: 50, sellSeparately: true }],
    modifierItems: [
      {
        externalId: 'bread',
        name,
        priceChange: 100,
        taxChange: 10,
        minQuantity: 0,
        maxQuantity: 1,
        defaultQuantity: 0,
      },
    ],
  };
}

describe('GET /pos/v1/stores/{store_service_id}/events', () => {
  test('has the changes since a cursor, and with wait the next one as soon as it is made', async () => {
    const { path, start, get, post } = await createStore();
    const waiting = get(`${path}/events?after=${start}&wait=25&kinds=ORDER_PLACED,ORDER_CHANGED`);
    const order = {
      customer: { name: 'Rui', phone: '' },
      lines: [{ item_external_id: 'soup', quantity: 2 }],
      table: '7',
    };
    const placed = await post(`${path}/orders`, order, { 'idempotency-key': 'a' });
    expect([placed.status, placed.body.status, placed.body.price, placed.body.table]).toEqual([
      200,
      'PENDING',
      1000,
      '7',
    ]);
    const { status, body, headers } = await waiting;
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect(body).toEqual({
      events: [
        {
          cursor: expect.any(String),
          at: expect.any(String),
          kind: 'ORDER_PLACED',
          store_id: placed.body.store.id,
          order_id: placed.body.id,
          status: 'PENDING',
          order: placed.body,
        },
      ],
      next: expect.any(String),
      has_more: false,
    });
    expect((await get(`${path}/events?after=${body.next}`)).body.events).toEqual([]);
  });

  test('of all stores has those of the key, with cursors of its own', async () => {
    const { store, start, get, orders } = await createStore();
    const { next } = (await get('/pos/v1/events')).body;
    await orders(1);
    await app.data.orders(await app.data.store(), 1);
    await sequenceEvents(primary);
    const { body } = await get(`/pos/v1/events?after=${next}&limit=1`);
    expect(body.events).toMatchObject([{ kind: 'ORDER_PLACED', store_id: store.id }]);
    const refused = await get(`/pos/v1/events?after=${start}`);
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['query', 'after']]);
  });

  test('has what the key may read, as the graph has it', async () => {
    const { store, path, start, get, orders } = await createStore();
    const all = (await get('/pos/v1/events')).body.next;
    const [order] = await orders(1);
    await app.data.menu(store);
    await sequenceEvents(primary);
    const read = async (url: string, ...permissions: Permission[]) => {
      const { status, body } = await app.get(url, {
        'x-api-key': await app.newKey({ storeIds: [store.id], permissions }),
      });
      return [
        status,
        body.events?.map(({ kind, order_id, order: found }: never) => [kind, order_id, found !== undefined]),
      ];
    };
    const [placed, changed] = [
      ['ORDER_PLACED', order?.id, true],
      ['MENU_CHANGED', undefined, false],
    ];
    for (const url of [`${path}/events?after=${start}`, `/pos/v1/events?after=${all}`]) {
      expect(await read(url)).toEqual([200, [placed, changed]]);
      expect(await read(url, 'READ_MENUS')).toEqual([200, [changed]]);
      expect(await read(`${url}&kinds=MENU_CHANGED`, 'READ_MENUS')).toEqual([200, [changed]]);
      expect(await read(`${url}&kinds=ORDER_PLACED`, 'READ_MENUS')).toEqual([403, undefined]);
      expect(await read(url, 'READ_ORDERS')).toEqual([200, [placed]]);
      expect(await read(url, 'READ_HISTORY')).toEqual([200, []]);
    }
  });

  test('is 404 for another store, 403 for kinds that the key may not read, 410 for an old cursor, 422 for values out of range', async () => {
    const { store, path, start, get } = await createStore();
    const other = await app.data.store();
    expect((await get(`/pos/v1/stores/${other.id}/events`)).status).toBe(404);
    const menusOnly = await app.newKey({ storeIds: [store.id], permissions: ['READ_MENUS'] });
    const refused = await app.get(`${path}/events?kinds=ORDER_PLACED,MENU_CHANGED`, { 'x-api-key': menusOnly });
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('of the kinds ORDER_PLACED')]);
    const { body } = await get(`${path}/events?wait=26&limit=0&kinds=ORDER_LOST&after=x`);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      ...['query.limit', 'query.kinds', 'query.wait'],
    ]);
    await sequenceEvents(primary);
    await app.orm.em.fork().execute('delete from event');
    const gone = await get(`${path}/events?after=${start}`);
    expect([gone.status, gone.body.detail]).toEqual([410, expect.stringContaining('begin without "after"')]);
  });
});

describe('POST /pos/v1/orders/{order_service_id}/status', () => {
  test('changes the status once, and is 200 again, whoever has set it', async () => {
    const { post, orders } = await createStore();
    const [order] = await orders(1);
    const path = `/pos/v1/orders/${order?.id}/status`;
    const change = { status: 'ACCEPTED', expected_status: 'PENDING', reason: 'as ordered' };
    const first = await post(path, change);
    expect([first.status, first.body.status, first.body.status_reason]).toEqual([200, 'ACCEPTED', 'as ordered']);
    const again = await app.post(path, { status: 'ACCEPTED', expected_status: 'PENDING', reason: 'by another' });
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('of several at a time has one effect, and every other change is 409 with the current status', async () => {
    const { post, orders, get } = await createStore();
    const [order] = await orders(1);
    const path = `/pos/v1/orders/${order?.id}/status`;
    const statuses = ['ACCEPTED', 'REJECTED', 'ACCEPTED', 'REJECTED', 'ACCEPTED'];
    const responses = await Promise.all(statuses.map(status => post(path, { status, expected_status: 'PENDING' })));
    const { status: now } = (await get(`/v1/orders/${order?.id}`)).body;
    expect(responses.map(({ status }) => status)).toEqual(statuses.map(status => (status === now ? 200 : 409)));
    for (const { status, body } of responses) {
      if (status === 409) expect(body.detail).toBe(`The order is ${now}, not PENDING.`);
    }
    const late = await post(path, { status: 'PENDING' });
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining(`The order is ${now}: `)]);
    const mistaken = await post(path, { status: 'PENDING', expected_status: 'FULFILLED' });
    expect([mistaken.status, mistaken.body.detail]).toEqual([409, `The order is ${now}, not FULFILLED.`]);
    expect((await post('/pos/v1/orders/none/status', { status: 'READY' })).status).toBe(404);
  });
});

describe('POST /pos/v1/stores/{store_service_id}/…', () => {
  test('orders/mark marks orders of the store, all or none', async () => {
    const { path, post, orders } = await createStore();
    const [first, second] = await orders(2);
    const marked = await post(`${path}/orders/mark`, { order_ids: [second?.id, first?.id], in_pos: true });
    expect(marked.body).toEqual({
      orders: [second, first].map(order => ({ id: order?.id, status: 'PENDING', is_read: false, in_pos: true })),
    });
    const [foreign] = await app.data.orders(await app.data.store(), 1);
    const refused = await app.post(`${path}/orders/mark`, { order_ids: [first?.id, foreign?.id, 'x'], is_read: true });
    expect([refused.status, refused.body.detail.map(({ loc }: { loc: unknown[] }) => loc)]).toEqual([
      422,
      [
        ['body', 'order_ids', 1],
        ['body', 'order_ids', 2],
      ],
    ]);
    expect((await post('/pos/v1/stores/none/orders/mark', { order_ids: ['x'], is_read: true })).status).toBe(404);
  });

  test('orders takes its key from Idempotency-Key, and a refused order is 422 with every reason', async () => {
    const { path, post } = await createStore();
    const order = { customer: { name: 'Ana', phone: '' }, lines: [{ item_external_id: 'soup' }] };
    const [first, again] = [
      await post(`${path}/orders`, order, { 'idempotency-key': 'k' }),
      await post(`${path}/orders`, order, { 'idempotency-key': 'k' }),
    ];
    expect(again.body.id).toBe(first.body.id);
    const missing = await post(`${path}/orders`, order);
    expect([missing.status, missing.body.detail[0].loc]).toEqual([422, ['header', 'idempotency-key']]);
    const wrong = { ...order, lines: [{ item_external_id: 'soup', quantity: 0 }, { item_external_id: 'fish' }] };
    const refused = await post(`${path}/orders`, wrong, { 'idempotency-key': 'l' });
    expect(refused.body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual([
      'body.lines.0.quantity',
      'body.lines.1.item_external_id',
    ]);
  });

  test('unknown fields of a body are 422 with their paths, also within lists, and a misspelt one is suggested', async () => {
    const { path, post, get, store } = await createStore();
    const lines = [{ item_external_id: 'soup', qty: 5 }];
    const body = { customer: { name: 'Rui', phone: '', mail: '' }, lines, readyBy: '2035-01-01T12:00:00Z' };
    const { status, body: refused } = await post(`${path}/orders`, body, { 'idempotency-key': 'misspelt' });
    const type = 'extra_forbidden';
    expect([status, refused.detail]).toEqual([
      422,
      [
        { loc: ['body', 'readyBy'], msg: 'Extra inputs are not permitted. Did you mean "ready_by"?', type },
        { loc: ['body', 'customer', 'mail'], msg: 'Extra inputs are not permitted, only name, phone', type },
        {
          loc: ['body', 'lines', 0, 'qty'],
          msg: 'Extra inputs are not permitted, only item_external_id, quantity, note, modifiers',
          type,
        },
      ],
    ]);
    expect((await get(`/v1/stores/${store.id}/orders/`)).body.count).toBe(0);
  });

  test('stock and prices change what they name, and nothing if anything is wrong', async () => {
    const { path, store, get, post } = await createStore();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const sold = await post(`${path}/stock`, { items: [{ external_id: 'soup', in_stock: false, until }] });
    expect(sold.body).toEqual({ revision: expect.any(Number) });
    const prices = {
      items: [{ external_id: 'soup', price: 550 }],
      modifier_items: [{ external_id: 'bread', tax_change: 11 }],
    };
    const changed = await post(`${path}/prices`, { ...prices, expected_revision: sold.body.revision });
    expect(changed.body.revision).toBeGreaterThan(sold.body.revision);
    const { items, modifier_items: modifiers } = (await get(`/v1/stores/${store.id}/menu_configuration/flat`)).body;
    expect([items[0].in_stock, items[0].price, items[0].tax, modifiers[0].tax_change]).toEqual([false, 550, 50, 11]);
    expect((await post(`${path}/prices`, { ...prices, expected_revision: 1 })).status).toBe(409);
    const wrong = {
      items: [{ external_id: 'soup', price: 1 }, { external_id: 'soup' }],
      modifier_items: [{ external_id: 'x' }],
    };
    const { status, body } = await post(`${path}/prices`, wrong);
    expect([status, body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))]).toEqual([
      422,
      ['body.items.1.external_id', 'body.modifier_items.0.external_id'],
    ]);
  });

  test('ordering pauses the store and opens it', async () => {
    const { path, post } = await createStore();
    const paused = await post(`${path}/ordering`, { state: 'PAUSED', reason: 'The oven is broken' });
    expect([paused.status, paused.body]).toEqual([200, { state: 'PAUSED', reason: 'The oven is broken' }]);
    const order = { customer: { name: 'Ana', phone: '' }, lines: [{ item_external_id: 'soup' }] };
    expect((await post(`${path}/orders`, order, { 'idempotency-key': 'm' })).status).toBe(422);
    expect((await post(`${path}/ordering`, { state: 'OPEN' })).body).toEqual({ state: 'OPEN' });
  });
});

describe('/pos/v1/stores/{store_service_id}/special_hours', () => {
  test('are replaced and read, or refused with every fault', async () => {
    const { path, post, get } = await createStore();
    const hours = [
      { date: '2035-12-24', name: 'Christmas Eve', time_periods: [{ start_time: '10:00', end_time: '15:00' }] },
      { date: '2035-12-25', time_periods: [] },
    ];
    expect((await post(`${path}/special_hours`, { hours })).body).toEqual({ hours });
    const read = await get(`${path}/special_hours`);
    expect([read.body, read.headers.get('etag')]).toEqual([{ hours }, expect.any(String)]);
    const faults = await post(`${path}/special_hours`, {
      hours: [{ date: '2035-13-01' }, { date: '2035-12-25', time_periods: [{ start_time: '9' }] }],
    });
    expect(faults.status).toBe(422);
    expect(faults.body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(
      expect.arrayContaining(['body.hours.1.time_periods.0.end_time']),
    );
    expect((await get(`${path}/special_hours`)).body).toEqual({ hours });
  });
});

test('every operation of the set has a sample that is valid', async () => {
  const document = (await app.get('/openapi/pos.json')).body;
  const paths = Object.entries<Record<string, { responses: { 200: Content } }>>(document.paths);
  const samples = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ path, method, content: responses[200].content })),
  );
  expect(samples).toHaveLength(14);
  for (const { path, method, content } of samples) {
    const { example } = content['application/json'];
    expect([path, undescribed(method.toUpperCase(), path.replace(/[{}]/g, ''), 200, example)]).toEqual([
      path,
      undefined,
    ]);
    expect([path, example]).not.toEqual([path, undefined]);
  }
});

interface Content {
  readonly content: { readonly 'application/json': { readonly example?: unknown } };
}
