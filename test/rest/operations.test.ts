import { globSync } from 'node:fs';
import { validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { describeSet } from '../../src/rest/openapi.ts';
import { createOwnLimits, loadOperations } from '../../src/server/operations.ts';
import { documentsOverLimits } from '../../support/hostile/documents.ts';
import { startApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';
import { exampleSet, writeSet } from '../support/operations.ts';
import { makeTenants } from '../support/tenants.ts';

const shop = writeSet('shop', {
  'orders.graphql': `
mutation takeOrder(
  $store_id: ID!
  $customer: CustomerInput!
  "At least one line."
  $lines: [OrderLineInput!]!
  $key: String! @header(name: "Idempotency-Key") @description(text: "The same for each attempt.")
) @route(method: POST, path: "/shop/stores/{store_id}/orders") {
  placeOrder(input: { storeId: $store_id, customer: $customer, lines: $lines, idempotencyKey: $key }) {
    order @body { id state: status }
  }
}

mutation moveOrder($order_id: ID!, $to: OrderStatus!, $from: OrderStatus)
@route(method: PUT, path: "/shop/orders/{order_id}/state") {
  changeOrderStatus(input: { orderId: $order_id, to: $to, from: $from }) { order @body { id state: status } }
}

query getTicket($order_id: ID!) @route(path: "/shop/orders/{order_id}") {
  order(id: $order_id) { revision @etag state: status seen: isRead }
}

mutation moveTicket($order_id: ID!, $to: OrderStatus!, $if_match: SafeInt @ifMatch(etagsOf: ["getTicket", "moveTicket"]))
@route(path: "/shop/orders/{order_id}") {
  changeOrderStatus(input: { orderId: $order_id, to: $to, expectedRevision: $if_match }) {
    order @body { revision @etag state: status seen: isRead }
  }
}

query listShops($first: Int = 2 @range(min: 1, max: 3), $after: String) @route(path: "/shop/stores/") {
  stores(first: $first, after: $after) { nodes { id } page: pageInfo { cursor: endCursor } }
}

query listPages($store_id: ID!, $size: Int = 9 @range(min: 1, max: 500), $from: String)
@route(path: "/shop/stores/{store_id}/pages") {
  store(id: $store_id) { orders(first: $size, after: $from) @body { nodes { id } total: totalCount } }
}

query getDish($store_id: ID!, $dish: String!) @route(path: "/shop/stores/{store_id}/dishes/{dish}") {
  store(id: $store_id) { menuRevision @etag item(externalId: $dish) @body { price { amount } } }
}

query getShopName($store_id: ID!, $unused: Int @header(name: "X-Level")  @range(min: 1, max: 9))
@route(path: "/shop/stores/{store_id}") {
  store(id: $store_id) { id orders(first: $unused) { totalCount } }
}`,
});

/** Mutations alone, of which one does not say how it is called. */
const counter = writeSet('counter', {
  'a.graphql': `
mutation seeOrders($ids: [ID!]!, $seen: Boolean = true) @route(path: "/counter/seen") {
  markOrders(input: { orderIds: $ids, isRead: $seen }) { orders @body { id seen: isRead } }
}
mutation forgetOrder($id: ID!) @route(method: DELETE, path: "/counter/seen/{id}") {
  markOrders(input: { orderIds: [$id], isRead: false }) { orders @body { id seen: isRead } }
}`,
});

const { graphqlLimits } = readConfig({});
const app = await startApp({ operations: [exampleSet, shop, counter] });
const keys = await makeTenants(app);
const store = await app.data.store({ id: 'own' });
await app.post(`/v1/stores/${store.id}/menu_configuration/`, fullBody());
const [order] = await app.data.orders(store, 1, { status: 'ACCEPTED', customerName: 'Ana' });

describe('a route of an operator', () => {
  test('has the names of its aliases, an ETag by revision, and 304', async () => {
    const { status, body, headers } = await app.get('/delivery/stores/own/menu');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['sections', 'schemaVersion']);
    expect(body.sections[0].products[0]).toMatchObject({ plu: expect.any(String), priceInCents: expect.any(Number) });
    const etag = headers.get('etag') ?? '';
    expect((await app.get('/delivery/stores/own/menu', { 'if-none-match': etag })).status).toBe(304);
    expect(headers.get('vary')).toBe('Origin, x-api-key, accept-encoding');
  });

  test('has no response for guests that was cached for others, where these may read more', async () => {
    const bar = await app.data.store();
    const item = { name: { translations: {} }, price: 4711, tax: 1, sellSeparately: true };
    await app.data.menu(bar, { items: [{ ...item, externalId: 'draft' }] });
    const guest = { 'x-api-key': await app.newKey({ publishable: true, permissions: [], storeIds: [bar.id] }) };
    const path = `/shop/stores/${bar.id}/dishes/draft`;
    for (let time = 0; time < 2; time++) {
      const [known, unknown] = [await app.get(path), await app.get(path, guest)];
      expect([known.status, known.body.price?.amount, unknown.status]).toEqual([200, 4711, 404]);
      const etag = String(known.headers.get('etag'));
      expect((await app.get(path, { ...guest, 'if-none-match': etag })).status).toBe(404);
    }
  });

  test('of one order has an ETag by its revision, which a write takes in If-Match', async () => {
    const [{ id } = { id: '' }, other] = await app.data.orders(store, 2);
    const path = `/shop/orders/${id}`;
    const read = await app.get(path);
    expect(read.body).toEqual({ state: 'PENDING', seen: false });
    const etag = String(read.headers.get('etag'));
    const unchanged = () => app.get(path, { 'if-none-match': etag });
    await app.post('/counter/seen', { ids: [other?.id] });
    expect((await unchanged()).status).toBe(304);
    await app.post('/counter/seen', { ids: [id] });
    const seen = await unchanged();
    expect([seen.status, seen.body]).toEqual([200, { state: 'PENDING', seen: true }]);
    const move = (to: string, ifMatch: string) => app.post(path, { to }, { 'if-match': ifMatch });
    expect((await move('ACCEPTED', etag)).status).toBe(412);
    expect((await move('ACCEPTED', etag.replace(/\d+/, '9999999999999999'))).status).toBe(412);
    expect((await app.get(path)).body).toEqual(seen.body);
    const moved = await move('ACCEPTED', String(seen.headers.get('etag')));
    expect([moved.status, moved.body]).toEqual([200, { state: 'ACCEPTED', seen: true }]);
    expect((await move('READY', String(seen.headers.get('etag')))).status).toBe(412);
    expect((await move('READY', String(moved.headers.get('etag')))).body).toEqual({ state: 'READY', seen: true });
  });

  test('reports every error of a request', async () => {
    const { status, body } = await app.get('/kitchen/stores/own/orders?limit=101&status=LOST');
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([
      ['query', 'status'],
      ['query', 'limit'],
    ]);
  });

  test('takes bodies, and marks orders', async () => {
    const marked = await app.post('/kitchen/orders/printed', { order_ids: [order?.id] });
    expect([marked.status, marked.body]).toEqual([200, [{ id: order?.id, printed: true }]]);
    const { body } = await app.get('/kitchen/stores/own/orders');
    expect(body).toMatchObject([{ id: order?.id, guest: { name: 'Ana' }, printed: true }]);
  });

  test('takes other methods and headers from pages, but not the one that names the origin of the service', async () => {
    const origin = 'https://menu.example';
    await app.newKey({ publishable: true, permissions: [], origins: [origin] });
    const { headers } = await app.send('OPTIONS', '/shop/stores/own', {
      headers: {
        origin,
        'x-api-key': '',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-api-key, X-Level, X-Forwarded-Host',
      },
    });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-methods')).toContain('PUT');
    expect(headers.get('access-control-allow-headers')).toBe('x-api-key, X-Level');
  });

  test('has its own 405, 307 and 404', async () => {
    const wrong = await app.post('/website/stores/own/opening-hours', {});
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const slash = await app.get('/website/stores/own/opening-hours/');
    expect([slash.status, slash.headers.get('location')]).toEqual([307, '/website/stores/own/opening-hours']);
    expect((await app.get('/website/other')).body).toEqual({ detail: 'Not Found' });
  });

  test('a header is a variable: the order of a repeated request is the first one', async () => {
    const body = { customer: { name: 'Ana', phone: '1' }, lines: [{ item_external_id: 'no', quantity: 1 }] };
    const missing = await app.post('/shop/stores/own/orders', body);
    expect([missing.status, missing.body.detail]).toEqual([
      422,
      [{ loc: ['header', 'idempotency-key'], type: 'missing', msg: 'Field required' }],
    ]);
    const refused = await app.post('/shop/stores/own/orders', body, { 'idempotency-key': 'k' });
    expect(refused.body.detail[0].loc.slice(0, 3)).toEqual(['body', 'lines', 0]);
    const level = await app.get('/shop/stores/own', { 'x-level': '10' });
    expect(level.body.detail[0].loc).toEqual(['header', 'x-level']);
    expect((await app.get('/shop/stores/own', { 'x-level': '9' })).headers.get('vary')).toBe(
      'Origin, x-level, x-api-key, accept-encoding',
    );
  });

  test('has no unknown fields in its bodies, at any depth', async () => {
    const lines = [{ item_external_id: 'no' }, { item_external_id: 'no', qty: 5 }];
    const body = { customer: { name: 'Ana', phone: '1' }, lines, ['x'.repeat(200)]: 1 };
    const { status, body: refused } = await app.post('/shop/stores/own/orders', body, { 'idempotency-key': 'k' });
    expect(status).toBe(422);
    const unknown = refused.detail.filter(({ type }: { type: string }) => type === 'extra_forbidden');
    expect(unknown.map(({ loc }: { loc: unknown }) => loc)).toEqual([
      ['body', `${'x'.repeat(100)}…`],
      ['body', 'lines', 1, 'qty'],
    ]);
  });

  test('has no unknown parameters in its query strings', async () => {
    const problemsOf = async (path: string) => {
      const { status, body } = await app.get(path);
      return [status, body.detail?.map?.(({ loc, msg }: Record<string, unknown>) => [loc, msg])];
    };
    const unknown = 'Extra inputs are not permitted';
    expect(await problemsOf('/kitchen/stores/own/orders?limt=1&x=2')).toEqual([
      422,
      [
        [['query', 'limt'], `${unknown}. Did you mean "limit"?`],
        [['query', 'x'], `${unknown}, only status, limit`],
      ],
    ]);
    expect(await problemsOf('/delivery/stores/own/menu?limit=1')).toEqual([422, [[['query', 'limit'], unknown]]]);
    expect((await app.get('/kitchen/stores/own/orders?status[]=READY&status[]=PENDING')).status).toBe(200);
    expect((await app.get('/v1/stores/own?limt=1')).status).toBe(200);
    const { status, body } = await app.get('/pos/v1/events?aftr=0');
    expect([status, body.detail?.[0]?.loc]).toEqual([422, ['query', 'aftr']]);
  });

  test('a mutation is POST unless told: GET and HEAD never write', async () => {
    const [seen] = await app.data.orders(store, 1);
    const path = `/counter/seen?ids=${seen?.id}`;
    expect((await app.get(path)).status).toBe(405);
    const head = await app.send('HEAD', path);
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    const isRead = async () => (await app.get(`/v1/orders/${seen?.id}`)).body.is_read;
    expect(await isRead()).toBe(false);
    expect((await app.post('/counter/seen', { ids: [seen?.id] })).body).toEqual([{ id: seen?.id, seen: true }]);
    expect(await isRead()).toBe(true);
    expect((await app.send('DELETE', `/counter/seen/${seen?.id}`)).body).toEqual([{ id: seen?.id, seen: false }]);
  });

  test('a conflict is 409', async () => {
    const move = (body: object) =>
      app.send('PUT', `/shop/orders/${order?.id}/state`, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'if-match': '"ignored"' },
      });
    expect((await move({ from: 'PENDING', to: 'ACCEPTED' })).status).toBe(409);
    expect((await move({ from: 'ACCEPTED', to: 'READY' })).body).toEqual({ id: order?.id, state: 'READY' });
  });
});

describe('access', () => {
  const paths = [
    '/website/stores/mine-store/opening-hours',
    '/delivery/stores/mine-store/menu',
    '/kitchen/stores/mine-store/orders',
    '/kitchen/orders/mine-store-order',
    '/shop/stores/mine-store',
  ];

  test.each(paths)('%s needs a key, and hides what is out of scope', async path => {
    const statuses: Record<string, number> = {};
    for (const [name, key] of Object.entries(keys)) statuses[name] = (await app.get(path, { 'x-api-key': key })).status;
    expect(statuses).toEqual({
      ...{ none: 401, unknown: 401, expired: 401, revoked: 401 },
      ...{ readOnly: 200, foreign: 404, sibling: 404 },
    });
  });

  test('lists leave out what is out of scope', async () => {
    const { body } = await app.get('/shop/stores/?first=3', { 'x-api-key': keys.sibling });
    expect(body.nodes).toEqual([{ id: 'mine-sibling' }]);
  });

  test('a mutation needs its permission', async () => {
    const headers = { 'x-api-key': keys.readOnly };
    expect((await app.post('/kitchen/orders/printed', { order_ids: [] }, headers)).status).toBe(403);
  });
});

describe('the documents of a set', () => {
  test('describe its routes alone', async () => {
    const { body } = await app.get('/openapi/operations.json');
    expect(body.info.title).toBe('Carte examples');
    expect(Object.keys(body.paths)).toEqual([
      '/delivery/stores/{store_id}/menu',
      '/kitchen/stores/{store_id}/orders',
      '/kitchen/orders/{order_id}',
      '/kitchen/orders/printed',
      '/website/stores/{store_id}/opening-hours',
    ]);
    expect((await app.get('/openapi/operations-3.0.json')).body.openapi).toBe('3.0.3');
    const { item } = (await app.get('/openapi/operations.postman.json')).body;
    expect(item.map(({ name }: { name: string }) => name)).toEqual(['Website', 'Delivery', 'Kitchen']);
    expect((await app.get('/docs?set=operations')).text).toContain('Opening hours of a store');
  });

  test('have headers, 409 and 410 where a route has them', async () => {
    const { paths } = (await app.get('/openapi/shop.json')).body;
    const take = paths['/shop/stores/{store_id}/orders'].post;
    expect(take.parameters).toContainEqual({
      name: 'Idempotency-Key',
      in: 'header',
      required: true,
      schema: { type: 'string' },
      description: 'The same for each attempt.',
    });
    expect(Object.keys(take.responses)).toContain('409');
    expect(Object.keys(paths['/shop/stores/'].get.responses)).toContain('410');
  });

  test('say that bodies are closed, what variables are, and their defaults', async () => {
    const { schemas } = (await app.get('/openapi/shop.json')).body.components;
    expect(schemas.TakeOrderRequest).toMatchObject({
      additionalProperties: false,
      properties: { customer: { description: 'The guest.' }, lines: { description: 'At least one line.' } },
    });
    expect(schemas.OrderLineInput).toMatchObject({
      additionalProperties: false,
      properties: { quantity: { type: 'integer', default: 1 } },
    });
    const counter = (await app.get('/openapi/counter.json')).body.components.schemas;
    expect(counter.SeeOrdersRequest.properties.seen).toMatchObject({ type: 'boolean', default: true });
    const v1 = (await app.get('/openapi.json')).text;
    expect(v1).not.toContain('"additionalProperties":false');
  });

  test('say nothing that is not true of the route', async () => {
    const untrue: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { description, schema = value, default: preset } = value as Record<string, unknown>;
      if (typeof description === 'string' && !path.endsWith('/info')) {
        const { minimum, maximum, default: given = preset } = schema as Record<string, unknown>;
        const numbers = (description.replace(/`.*?`/g, '').match(/\d+/g) ?? []).map(Number);
        const isBounded = Math.abs(Number(maximum ?? Number.NaN)) < Number.MAX_SAFE_INTEGER;
        if (isBounded && numbers.some(number => ![minimum, maximum, given].includes(number))) untrue.push(path);
        if (/`[^`]*[a-z][A-Z][^`]*`/.test(description)) untrue.push(`${path}: ${description}`);
        if (description.includes('nullable')) untrue.push(`${path}: ${description}`);
        if (given !== undefined && /omitted|absent/.test(description)) untrue.push(`${path}: ${description}`);
      }
      for (const [key, child] of Object.entries(value)) {
        if (key !== 'example' && key !== 'examples') visit(child, `${path}/${key}`);
      }
    };
    for (const set of ['v1', 'pos', 'operations', 'shop', 'counter']) {
      visit((await app.get(`/openapi/${set}.json`)).body, set);
    }
    expect(untrue).toEqual([]);
    const { paths } = (await app.get('/openapi/shop.json')).body;
    // What the graph says of the list speaks of arguments by which the route has no pages.
    const pages = paths['/shop/stores/{store_id}/pages'].get;
    const names = new Set(pages.parameters.map(({ name }: { readonly name: string }) => name));
    const spokenOf = [...pages.description.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(spokenOf.filter(name => !names.has(name))).toEqual([]);
    const described = (path: string) =>
      paths[path].get.parameters.map(({ name, description }: Record<string, string>) => [name, description]);
    expect(described('/shop/stores/').slice(0, 2)).toEqual([
      ['first', undefined],
      ['after', 'A cursor: returns stores after it.'],
    ]);
    expect(described('/shop/stores/{store_id}/pages').slice(1, 3)).toEqual([
      ['size', 'Returns the first orders, 1 to 500, of those after `from`.'],
      ['from', 'A cursor: returns orders after it, which are older.'],
    ]);
  });

  test('leave out what is nullable in the graph alone', () => {
    const folder = writeSet('stock', {
      'a.graphql': `
mutation setAll($input: SetStockInput!) @route(path: "/stock/all") { setStock(input: $input) { store @body { id } } }
mutation replaceAll($store_id: ID!, $items: [MenuItemInput!]!) @route(path: "/stock/{store_id}") {
  replaceMenuConfiguration(input: { storeId: $store_id, items: $items }) { store @body { id } }
}
mutation save($input: SaveStoreInput!) @route(path: "/stock/store") { saveStore(input: $input) { store @body { id } } }`,
    });
    const sets = loadOperations(app.server.graph.schema, { operations: [folder], graphqlLimits });
    const document = JSON.stringify(sets.slice(-1).map(set => describeSet(set)));
    for (const text of ['The store and the stock of its items.', "The store's `id`.", 'When the number was added.']) {
      expect(document).toContain(`"${text}"`);
    }
    expect(document).not.toContain('nullable until');
  });

  test('are there for mutations alone', async () => {
    const { paths } = (await app.get('/openapi/counter.json')).body;
    expect(Object.entries(paths).map(([path, methods]) => [path, ...Object.keys(methods as object)])).toEqual([
      ['/counter/seen', 'post'],
      ['/counter/seen/{id}', 'delete'],
    ]);
    expect((await app.get('/openapi/counter.postman.json')).body.item[0].item).toHaveLength(2);
  });

  test('leave that of v1 as it was', async () => {
    const [v1, set] = await Promise.all([app.get('/openapi.json'), app.get('/openapi/v1.json')]);
    expect(Object.keys(v1.body.paths).every(path => path.startsWith('/v1/'))).toBe(true);
    expect(set.text).toBe(v1.text);
    expect(v1.text).not.toContain('"409"');
  });
});

test('the sets that come with Carte cannot exceed the default limit on cost', () => {
  const { schema, sets } = app.server.graph;
  const { checkCosts } = createOwnLimits(schema, readConfig({}).graphqlLimits);
  const builtIn = sets.filter(({ isBuiltIn }) => isBuiltIn);
  expect(builtIn.map(({ name }) => name)).toEqual(['v1', 'pos', 'webhooks']);
  expect(builtIn.flatMap(set => checkCosts({ ...set, isBuiltIn: false })).map(({ message }) => message)).toEqual([]);
});

describe('documentId', () => {
  const call = (documentId: string, variables: object) =>
    app.post('/graphql', { documentId, variables }, { 'x-api-key': keys.readOnly });

  test('names an operation of any set, which is executed as a query, from the response cache where that applies', async () => {
    const variables = { store_id: 'mine-store' };
    const first = await call('getDeliveryMenu', variables);
    expect(first.body.data.store.sections[0]).toHaveProperty('products');
    const { result, statements } = await app.statements.during(() => call('getDeliveryMenu', variables));
    expect(result.text).toBe(first.text);
    expect(statements.filter(text => text.includes('menu_item'))).toEqual([]);
    expect((await call('getDeliveryMenu', { store_id: 'foreign-store' })).body).toEqual({ data: { store: null } });
  });

  test('that no operation has is an error', async () => {
    expect((await call('getMenu', {})).body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_IN_LIST');
  });

  test('every operation is within the limits of a document, but one that selects fields for routes is not to be had', async () => {
    const { sets, publicSchema } = app.server.graph;
    for (const { name, parameters, document } of sets.flatMap(({ operations }) => operations)) {
      const { body } = await call(name, {});
      const codes = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      const isMissing = parameters.some(parameter => parameter.required);
      const isInternal = validate(publicSchema, document).length > 0;
      const code = isInternal ? ['PERSISTED_QUERY_NOT_IN_LIST'] : isMissing ? ['BAD_USER_INPUT'] : [];
      expect([name, [...new Set(codes)]]).toEqual([name, code]);
    }
  });
});

describe('/openapi/preview', () => {
  const preview = (query: string) => app.post('/openapi/preview', { query });

  test('proposes a file for an operation, and describes what it defines', async () => {
    const { status, body } = await preview(
      'query Prices($id: ID!, $first: Int) { store(id: $id) { orders(first: $first) { nodes { ...O } } } } fragment O on Order { id price { amount } }',
    );
    expect(status).toBe(200);
    expect(body.errors).toEqual([]);
    expect(body.file.text).toContain('$first: Int @range(min: 1, max: 100)');
    expect(body.file.text).toContain('@route(path: "/my/store/{id}", summary: "Prices") @tool {');
    expect(body).toMatchObject({
      file: { name: 'Prices.graphql' },
      route: { method: 'GET', path: '/my/store/{id}' },
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'first', in: 'query' },
      ],
      tool: { name: 'Prices', inputSchema: { required: ['id'] }, outputSchema: { type: 'object' } },
    });
    const folder = writeSet('proposed', { [body.file.name]: body.file.text });
    const sets = loadOperations(app.server.graph.schema, { operations: [folder], graphqlLimits });
    expect(sets.at(-1)?.operations).toMatchObject([{ name: 'Prices' }]);
  });

  test('a mutation takes its input in the body, and is no tool by itself', async () => {
    const query = 'mutation M($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }';
    const { body } = await preview(query);
    expect(body.route).toEqual({ method: 'POST', path: '/my/save-store' });
    expect(body.file.text).not.toContain('@tool');
    const told = (route: string) => preview(query.replace('{', `${route} {`));
    expect((await told('@route(path: "/my/stores")')).body.route).toEqual({ method: 'POST', path: '/my/stores' });
    expect((await told('@route(method: GET, path: "/my/stores")')).body.errors).toContain(
      'M.graphql:1: A mutation cannot be GET, which never writes; leave out the method, for POST.',
    );
  });

  test('reports the errors that a start would report, and needs a key', async () => {
    expect((await preview('query Two { stores { totalCount } merchants { totalCount } }')).body.errors).toEqual([
      'Two.graphql:1: A route needs exactly one root field; Two selects something else. Write one operation for each.',
    ]);
    expect((await preview('query {')).body).toEqual({
      detail: 'Syntax Error: Expected Name, found <EOF>. (line 1, column 8)',
    });
    expect((await app.post('/openapi/preview', { query: '{ a }' }, { 'x-api-key': '' })).status).toBe(401);
  });
});

describe('a document over a limit', () => {
  const documents = documentsOverLimits(seededRandom('1'));
  const bodyOf = (text: string) => ({ query: text, operationName: text.includes('Q0') ? 'Q0' : undefined });
  /** CPU of what runs, as a multiple of that of a small document. */
  const timesSmall = async (run: (text: string) => Promise<unknown>, texts: readonly string[]) => {
    const measure = async (text: string) => {
      const before = process.cpuUsage();
      await run(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const small: number[] = [];
    for (let at = 0; at < 20; at++)
      small.push(await measure(`query Q { stores { nodes { name { text } a${at}: timezone } } }`));
    let sum = 0;
    for (const text of texts) sum += await measure(text);
    return sum / texts.length / (small.reduce((total, value) => total + value, 0) / small.length);
  };

  test('is refused by the preview with 422, the limit and the place, as fast as a small one is previewed', async () => {
    const ratio = await timesSmall(
      query => app.post('/openapi/preview', bodyOf(query)),
      documents.map(({ text }) => text),
    );
    for (const { what, text } of documents) {
      const { status, body } = await app.post('/openapi/preview', bodyOf(text));
      expect({ what, status, detail: body.detail }).toEqual({
        what,
        status: 422,
        detail: expect.stringMatching(
          /(?:\d+ (?:\w+ )?(?:is|are) allowed|supports|Parsing aborted)\b.*\(line \d+, column \d+\)$/,
        ),
      });
    }
    expect(ratio).toBeLessThan(5);
  });

  test('is refused at /graphql, by POST and by GET', async () => {
    for (const { what, text } of documents) {
      const { status, body } = await app.post('/graphql', bodyOf(text), {
        accept: 'application/graphql-response+json',
      });
      const codes = body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      expect({ what, status, code: codes[0] }).toEqual({
        what,
        status: 400,
        code: expect.stringMatching(
          /^(?:QUERY_TOO_(?:LONG|DEEP)|TOO_MANY_(?:ALIASES|DIRECTIVES|LITERALS)|GRAPHQL_PARSE_FAILED)$/,
        ),
      });
    }
    const [first] = documents;
    const { body } = await app.get(`/graphql?query=${encodeURIComponent(first?.text ?? '')}`);
    expect(body.errors[0].extensions.code).toBe('QUERY_TOO_LONG');
  });

  test('of a set is refused at the start, with its file and line', () => {
    for (const { what, text } of documents) {
      const folder = writeSet('hostile', { 'a.graphql': `# A comment.\n${text}` });
      const load = () => loadOperations(app.server.graph.schema, { operations: [folder], graphqlLimits });
      expect(load, what).toThrow(/hostile\/a\.graphql:\d+: /);
    }
  });

  test('by its fragments alone is refused, where the same selection without them is not', async () => {
    const fragments = Array.from(
      { length: 13 },
      (_, at) => `fragment F${at} on Store { ...F${at + 1} ...F${at + 1} }`,
    ).join(' ');
    const { body } = await app.graphql(
      `{ stores { nodes { ...F0 } } } ${fragments} fragment F13 on Store { id timezone }`,
    );
    expect(body.errors).toMatchObject([
      { message: 'The document has 16,386 fields when its fragments are expanded; at most 10,000 are allowed.' },
    ]);
    const few = fragments.replaceAll(/(\.\.\.F\d+) \1/g, '$1');
    expect(
      (await app.graphql(`{ stores { nodes { ...F0 } } } ${few} fragment F13 on Store { id timezone }`)).status,
    ).toBe(200);
  });
});

describe('Documents', () => {
  test('have what linters ask for, also where the author of a set has written nothing', async () => {
    for (const set of ['v1', 'pos', 'operations', 'shop', 'counter']) {
      const { body } = await app.get(`/openapi/${set}.json`);
      expect(body.info, set).toMatchObject({
        description: expect.stringMatching(/\w/),
        contact: { name: expect.any(String) },
      });
      for (const operation of Object.values<Record<string, object>>(body.paths).flatMap(path => Object.values(path))) {
        expect(operation, set).toMatchObject({
          summary: expect.stringMatching(/\w/),
          description: expect.stringMatching(/\w/),
        });
      }
    }
    const { body } = await app.get('/openapi/operations.json');
    expect(body.info.contact).toEqual({ name: 'Whoever runs these routes', email: 'routes@example.com' });
    const shopDocument = (await app.get('/openapi/shop.json')).body;
    expect(shopDocument.paths['/shop/stores/{store_id}'].get).toMatchObject({
      summary: 'Get shop name',
      description: 'Get shop name. A store by id.',
    });
  });

  test('/llms.txt has links to the schema, the guides and the documents of all sets, and each leads there', async () => {
    const { status, headers, text } = await app.get('/llms.txt', { 'x-api-key': '' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# Carte\n\n> .+\n\n(- .+\n)+\n## Schemas\n\n/);
    const links = [...text.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm)].map(([, title, path, note]) => ({
      title,
      path,
      note,
    }));
    expect(text.match(/\]\(/g)).toHaveLength(links.length);
    const paths = links.map(({ path = '' }) => path);
    const documents = [
      'openapi.json',
      ...['pos', 'webhooks', 'operations', 'shop', 'counter'].map(set => `openapi/${set}.json`),
    ];
    expect(paths.slice(0, 8)).toEqual(['schema.graphql', 'schema.graphql?for=guests', ...documents]);
    const guides = globSync('**/*.md', { cwd: new URL('../../docs/', import.meta.url) }).map(file => `guides/${file}`);
    expect(paths.slice(8).toSorted()).toEqual(guides.toSorted());
    for (const { title, path = '' } of links) {
      const found = await app.get(`/${path}`, { 'x-api-key': '' });
      expect(found.status, path).toBe(200);
      if (path.endsWith('.md')) expect(found.text.replaceAll('`', '')).toContain(`# ${title}\n`);
    }
  });
});
