import { describe, expect, test } from 'vitest';
import type { Permission } from '../../src/scope.ts';
import { openStream } from '../../support/streams.ts';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();
const execute = (sql: string, values: unknown[] = []) => app.orm.em.fork().execute(sql, values);

const allDay = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({
  dayOfWeek,
  timePeriods: [{ startTime: '00:00', endTime: '24:00' }],
}));
const store = await app.data.store({ id: 'baixa' });
const { menus, ...rest } = smallMenu('Soup');
await app.data.menu(store, { ...rest, menus: (menus ?? []).map(menu => ({ ...menu, availability: allDay })) });

const headersWith = async (...permissions: Permission[]) => ({
  'x-api-key': await app.newKey({ storeIds: [store.id], permissions, name: permissions.join('-') || 'everything' }),
});
const kiosk = await headersWith('ORDERS', 'READ_MENUS', 'READ_OWN_ORDERS');
const other = await headersWith('ORDERS', 'READ_MENUS', 'READ_OWN_ORDERS');
const pos = await headersWith('ORDERS');
type Headers = Awaited<ReturnType<typeof headersWith>>;

const input = (
  idempotencyKey: string,
  name: string,
  phone: string,
) => `input: { storeId: "baixa", idempotencyKey: "${idempotencyKey}",
  customer: { name: "${name}", phone: "${phone}" }, lines: [{ itemExternalId: "item" }], customerComments: "for ${name}" }`;
const place = async (headers: Headers, idempotencyKey: string, name: string, phone = '555') => {
  const mutation = `mutation { placeOrder(${input(idempotencyKey, name, phone)}) { order { id status customer { name phone } steps { keyName } } } }`;
  return (await app.graphql(mutation, {}, headers)).body;
};
const orderOf = (body: Awaited<ReturnType<typeof place>>) => body.data.placeOrder.order;

const own = orderOf(await place(kiosk, 'own', 'Ana'));
const foreign = orderOf(await place(other, 'foreign', 'Secret Guest', '98765432'));
const ofPos = orderOf(await place(pos, 'pos', 'Secret Guest', '98765432'));
const [imported] = await app.data.orders(store, 1, { customerName: 'Secret Guest', customerPhone: '98765432' });
const foreignIds = [foreign.id, ofPos.id, String(imported?.id)];

const read = async (selection: string, headers: Headers = kiosk) =>
  (await app.graphql(`{ ${selection} }`, {}, headers)).body;

describe('a key with READ_OWN_ORDERS', () => {
  test('reads the order that it places, and again with the same idempotency key, but not the names of keys', async () => {
    expect(own).toEqual({
      id: own.id,
      status: 'PENDING',
      customer: { name: 'Ana', phone: '555' },
      steps: [{ keyName: null }],
    });
    expect(orderOf(await place(kiosk, 'own', 'Ana'))).toEqual(own);
    const body = { customer: { name: 'Rui', phone: '' }, lines: [{ item_external_id: 'item' }] };
    const send = (headers: Headers) =>
      app.post('/pos/v1/stores/baixa/orders', body, { ...headers, 'idempotency-key': 'by REST' });
    const placed = await send(kiosk);
    expect([placed.status, placed.body.status, (await send(kiosk)).body.id]).toEqual([200, 'PENDING', placed.body.id]);
    const refused = await send(other);
    expect([refused.status, refused.text.includes(placed.body.id)]).toEqual([422, false]);
    await execute('delete from orders where id = ?', [placed.body.id]);
  });

  test('reads its orders by id, in lists and by REST, and the others as if they did not exist', async () => {
    expect(
      (await read(`order(id: "${own.id}") { id customer { phone } store { id } lines { item { externalId } } }`)).data
        .order,
    ).toEqual({
      id: own.id,
      customer: { phone: '555' },
      store: { id: 'baixa' },
      lines: [{ item: { externalId: 'item' } }],
    });
    for (const id of [...foreignIds, 'no-such']) {
      expect(await read(`order(id: "${id}") { id }`)).toEqual({ data: { order: null } });
      expect((await app.get(`/v1/orders/${id}`, kiosk)).status).toBe(404);
    }
    const list = 'totalCount nodes { id } edges { node { id } } pageInfo { hasNextPage hasPreviousPage }';
    expect((await read(`store(id: "baixa") { orders(first: 1) { ${list} } }`)).data.store.orders).toEqual({
      totalCount: 1,
      nodes: [{ id: own.id }],
      edges: [{ node: { id: own.id } }],
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    });
    expect((await app.get(`/v1/orders/${own.id}`, kiosk)).body.customer).toEqual({ name: 'Ana', phone: '555' });
    const listed = await app.get('/v1/stores/baixa/orders/', kiosk);
    expect([listed.body.count, listed.body.order_result_list.map(({ id }: { id: string }) => id)]).toEqual([
      1,
      [own.id],
    ]);
  });

  test('has the ETag of its own list, which the orders of others do not change', async () => {
    const path = '/v1/stores/baixa/orders/';
    const etags = async () =>
      (await Promise.all([kiosk, other, pos].map(key => app.get(path, key)))).map(({ headers }) => headers.get('etag'));
    const [before, ofOther, ofAll] = await etags();
    expect(new Set([before, ofOther, ofAll]).size).toBe(3);
    for (const etag of [before, ofOther, ofAll, '*'])
      expect((await app.get(path, { ...kiosk, 'if-none-match': String(etag) })).status).toBe(
        etag === before || etag === '*' ? 304 : 200,
      );
    await execute('update orders set is_read = not is_read where id = ?', [ofPos.id]);
    const [after, , ofAllAfter] = await etags();
    expect([after === before, ofAllAfter === ofAll]).toEqual([true, false]);
  });

  test('changes and marks its own orders, and no others', async () => {
    const change = (id: string) =>
      app.graphql(
        `mutation { changeOrderStatus(input: { orderId: "${id}", to: ACCEPTED }) { order { status } } }`,
        {},
        kiosk,
      );
    const mark = (ids: readonly string[]) =>
      app.graphql(
        'mutation ($ids: [ID!]!) { markOrders(input: { orderIds: $ids, inPos: true }) { orders { inPos } } }',
        { ids },
        kiosk,
      );
    for (const id of foreignIds) {
      expect((await change(id)).body).toEqual({ data: { changeOrderStatus: null } });
      const refused = (await mark([own.id, id])).text;
      expect(refused.replaceAll(id, '')).toBe((await mark([own.id, 'no-such'])).text.replaceAll('no-such', ''));
    }
    const untouched = await execute('select distinct status, in_pos from orders where id in (?)', [foreignIds]);
    expect(untouched).toEqual([{ status: 'PENDING', in_pos: false }]);
    expect((await change(own.id)).body.data.changeOrderStatus.order.status).toBe('ACCEPTED');
    expect((await mark([own.id])).body.data.markOrders.orders).toEqual([{ inPos: true }]);
    const status = await app.post(`/pos/v1/orders/${foreign.id}/status`, { status: 'ACCEPTED' }, kiosk);
    expect(status.status).toBe(404);
  });

  test('needs no statement more than a key with READ_ORDERS', async () => {
    const count = async (headers: Headers) => {
      const query = `{ order(id: "${own.id}") { id } store(id: "baixa") { orders { totalCount nodes { id } } } }`;
      const { statements } = await app.statements.during(() => app.graphql(query, {}, headers));
      return statements.length;
    };
    expect(await count(kiosk)).toBeLessThanOrEqual(await count(await headersWith('READ_ORDERS')));
  });

  test('without READ_MENUS reads nothing else, and with READ_ORDERS reads all orders', async () => {
    const alone = await headersWith('ORDERS', 'READ_OWN_ORDERS');
    const placed = orderOf(await place(alone, 'alone', 'Eva'));
    expect((await read(`order(id: "${placed.id}") { id }`, alone)).data.order).toEqual({ id: placed.id });
    expect((await read('store(id: "baixa") { items { price { amount } } }', alone)).errors[0].extensions.code).toBe(
      'FORBIDDEN',
    );
    expect(await read('viewer { permissions readPermissions }', alone)).toEqual({
      data: { viewer: { permissions: ['ORDERS', 'READ_OWN_ORDERS'], readPermissions: ['READ_OWN_ORDERS'] } },
    });
    const both = await headersWith('READ_OWN_ORDERS', 'READ_ORDERS', 'READ_MENUS', 'READ_HISTORY');
    expect((await read(`order(id: "${foreign.id}") { id }`, both)).data.order).toEqual({ id: foreign.id });
    await execute('delete from orders where id = ?', [placed.id]);
  });

  test('does not become one that reads everything by what it also may read', async () => {
    const most = await headersWith('ORDERS', 'READ_MENUS', 'READ_HISTORY', 'READ_OWN_ORDERS');
    const refused = await read('store(id: "baixa") { ordersRevision }', most);
    expect(refused.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

/** What tells of orders of others: by paths, arguments, cursors and errors. */
const ways: Readonly<Record<string, string>> = {
  'an alias': `{ own: order(id: "${own.id}") { id } x: order(id: "${foreign.id}") { id customer { phone } } }`,
  fragments: `{ ...A } fragment A on Query { order(id: "${foreign.id}") { ... on Order { ...B } } } fragment B on Order { id customer { name } }`,
  'its own order and its store': `{ order(id: "${own.id}") { store { orders { totalCount nodes { id customer { phone } } } } } }`,
  'the store of a merchant': '{ merchants { nodes { stores { nodes { orders { nodes { customer { name } } } } } } } }',
  'the stores of the key': '{ viewer { scope { stores { orders { totalCount nodes { id } } } } } }',
  'a list of stores': '{ stores { nodes { id orders(first: 500) { totalCount edges { cursor node { id } } } } } }',
  'the store of a menu': '{ store(id: "baixa") { menus { store { orders { nodes { id } } } } } }',
  'the last page': '{ store(id: "baixa") { orders(last: 10) { nodes { id } pageInfo { hasPreviousPage } } } }',
  'a search by name':
    '{ store(id: "baixa") { orders(filter: { customerName: "Secret" }) { totalCount nodes { id } } } }',
  'a search by a short name':
    '{ store(id: "baixa") { orders(filter: { customerName: "S" }) { totalCount nodes { id } } } }',
  'a search by phone':
    '{ store(id: "baixa") { orders(filter: { customerPhoneEndsWith: "98765432" }) { totalCount nodes { id } } } }',
  'a search by digits':
    '{ store(id: "baixa") { orders(filter: { customerPhoneContains: "9876" }) { totalCount nodes { id } } } }',
  'a search by status':
    '{ store(id: "baixa") { orders(filter: { statuses: [PENDING] }) { totalCount nodes { id } } } }',
  'a search by what is open':
    '{ store(id: "baixa") { orders(filter: { isCompleted: false }) { totalCount nodes { id } } } }',
  'a search by time':
    '{ store(id: "baixa") { orders(filter: { createdFrom: "2000-01-01" }) { totalCount nodes { id } } } }',
  'completed orders': '{ store(id: "baixa") { completedOrders { id } } }',
  'the revision of the orders': '{ store(id: "baixa") { ordersRevision } }',
  'the cursor of the events': '{ store(id: "baixa") { orderEventsCursor } }',
  'the events of orders': '{ store(id: "baixa") { events(kinds: [ORDER_PLACED]) { events { order { id } } } } }',
  'the events of all stores': '{ events(kinds: [ORDERS_CHANGED, MENU_CHANGED]) { events { orderId } } }',
  'a stream': 'subscription { orderEvents(storeId: "baixa") { order { id } } }',
  'a skipped field': '{ store(id: "baixa") { ordersRevision @skip(if: true) } }',
  webhooks: '{ webhooks { nodes { deliveries { nodes { orderId } } } } }',
  'a change of status': `mutation { changeOrderStatus(input: { orderId: "${foreign.id}", to: READY }) { order { id status } } }`,
  'a repeated change': `mutation { changeOrderStatus(input: { orderId: "${foreign.id}", to: PENDING, idempotent: true }) { order { status } } }`,
  'a conflict': `mutation { changeOrderStatus(input: { orderId: "${foreign.id}", to: READY, from: ACCEPTED }) { order { status } } }`,
  'a mark': `mutation { markOrders(input: { storeId: "baixa", orderIds: ["${foreign.id}"], isRead: true }) { orders { customer { name } } } }`,
  'an idempotency key with the same order': `mutation { placeOrder(${input('foreign', 'Secret Guest', '98765432')}) { order { id status } } }`,
  'an idempotency key with another order': `mutation { placeOrder(${input('foreign', 'Ana', '1')}) { order { id status } } }`,
  'a key of its own':
    'mutation { createApiKey(input: { name: "x", storeIds: ["baixa"], permissions: [READ_ORDERS] }) { secret } }',
};

test.each(Object.entries(ways))('orders of others are not to be had by %s', async (_way, query) => {
  const { status, text } = await app.graphql(query, {}, kiosk);
  const isOwnQuery = (id: string) => query.includes(id);
  expect([200, 400, 405, 406]).toContain(status);
  for (const secret of [...foreignIds.filter(id => !isOwnQuery(id)), 'Secret Guest', '98765432'])
    expect(text.replaceAll(query, '')).not.toContain(secret);
  for (const [, count] of text.matchAll(/"totalCount":(\d+)/g)) expect(Number(count)).toBeLessThanOrEqual(1);
  expect(text).not.toContain('"hasPreviousPage":true');
});

test.each([1, 600])('nor by page %s of a route', async page => {
  const get = (headers: Headers) => app.get(`/v1/stores/baixa/orders/?page_size=1&page_index=${page}`, headers);
  expect((await get(kiosk)).body).toMatchObject({ count: 1, order_result_list: [] });
  expect((await get(pos)).body.count).toBeGreaterThan(1);
});

test('nor by a stream of something else', async () => {
  const query = 'subscription { menuEvents(storeId: "baixa") { store { orders { totalCount nodes { id } } } } }';
  const stream = openStream('sse', { url: app.url, key: kiosk['x-api-key'] }, { query });
  const result = stream.next();
  let hasEvent = false;
  const changing = (async () => {
    for (let inStock = false; !hasEvent; inStock = !inStock)
      await app.graphql(
        `mutation { setStock(input: { storeId: "baixa", items: [{ externalId: "item", inStock: ${inStock} }] }) { store { menuRevision } } }`,
      );
  })();
  expect((await result).data.menuEvents.store.orders).toEqual({ totalCount: 1, nodes: [{ id: own.id }] });
  hasEvent = true;
  await changing;
  stream.close();
});

test('the same ways show them to a key that reads orders', async () => {
  const queries = Object.values(ways).filter(query => query.startsWith('{'));
  const texts = await Promise.all(queries.map(async query => (await app.graphql(query, {}, pos)).text));
  expect(
    texts.filter(text => foreignIds.some(id => text.includes(id)) || /Secret|"totalCount":[2-9]/.test(text)),
  ).toHaveLength(14);
});

test('the two ways to reuse an idempotency key of another are refused alike', async () => {
  const message = async (name: string, phone: string) => (await place(kiosk, 'foreign', name, phone)).errors[0].message;
  expect(await message('Secret Guest', '98765432')).toBe(await message('Ana', '1'));
});

test('a cursor of an order of another key shows nothing beyond its own list', async () => {
  const { edges } = (await read('store(id: "baixa") { orders { edges { cursor node { id } } } }', pos)).data.store
    .orders;
  expect(edges).toHaveLength(4);
  for (const { cursor } of edges) {
    for (const side of ['after', 'before']) {
      const page = `orders(${side}: "${cursor}") { nodes { id } pageInfo { hasNextPage hasPreviousPage } }`;
      const { nodes, pageInfo } = (await read(`store(id: "baixa") { ${page} }`)).data.store.orders;
      const isThere = nodes.length === 1;
      expect(nodes).toEqual(isThere ? [{ id: own.id }] : []);
      expect(pageInfo.hasNextPage || pageInfo.hasPreviousPage).toBe(!isThere);
    }
  }
});

test('searches without an index count the own orders, and name no number of others', async () => {
  // As if the store had very many orders.
  await execute("update order_count set n = n + 60000 where store_id = 'baixa' and status = 'PENDING'");
  const search = 'store(id: "baixa") { orders(filter: { customerName: "A" }) { totalCount } }';
  expect((await read(search)).data.store.orders.totalCount).toBe(1);
  expect((await read(search, pos)).errors[0].message).toMatch(/ in \d{5,} orders/);
  await execute("update order_count set n = n - 60000 where store_id = 'baixa' and status = 'PENDING'");
});

describe('an administrator who reads its own orders', () => {
  const issue = async (permissions: Permission[]) => ({ 'x-api-key': await app.newKey({ all: true, permissions }) });
  const create =
    'mutation { createApiKey(input: { name: "x", all: true, permissions: [ORDERS, READ_OWN_ORDERS] }) { secret } }';

  test('issues and rotates no key for orders of others, and gets no webhook', async () => {
    const admin = await issue(['ADMIN', 'ORDERS', 'READ_MENUS', 'READ_OWN_ORDERS']);
    const kioskId = (await read('viewer { id }')).data.viewer.id;
    for (const mutation of [
      create,
      `mutation { rotateApiKey(input: { apiKeyId: "${kioskId}" }) { secret } }`,
      'mutation { createWebhook(input: { url: "http://127.0.0.1:9/", storeId: "baixa", kinds: [ORDER_PLACED] }) { secret } }',
    ]) {
      const { body } = await app.graphql(mutation, {}, admin);
      expect([mutation, body.errors[0].extensions.code]).toEqual([mutation, 'FORBIDDEN']);
    }
    const [shown] = (await app.graphql('{ stores { nodes { orders { totalCount } } } }', {}, admin)).body.data.stores
      .nodes;
    expect(shown.orders.totalCount).toBe(0);
  });

  test('with READ_ORDERS issues them; a publishable key has no such permission', async () => {
    const admin = await issue(['ADMIN', 'READ_ORDERS', 'READ_MENUS']);
    const { secret: key } = (await app.graphql(create, {}, admin)).body.data.createApiKey;
    // A process of 0.2.0, which does not know the permission, must not find the key: it would read everything.
    expect(key).toMatch(/^carte_own_/);
    const plain = 'select 1 from api_key where hash = sha256(convert_to(?, $$UTF8$$))';
    expect(await execute(plain, [key])).toEqual([]);
    expect(await execute(plain, [app.key])).toHaveLength(1);
    const publishable = create.replace('all: true', 'all: true, publishable: true');
    expect((await app.graphql(publishable, {}, admin)).text).toContain('A publishable key reads what guests may see');
  });
});
