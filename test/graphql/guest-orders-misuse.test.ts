import { createHash, randomUUID } from 'node:crypto';
import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openStream } from '../../support/streams.ts';
import { observe, startCollector } from '../http/service.ts';
import { startApp } from '../support/app.ts';
import {
  cancelling,
  createGuest,
  guestHeaders,
  openStore,
  orderOf,
  origin,
  placing,
  reading,
} from '../support/guests.ts';
import { writeSet } from '../support/operations.ts';

const shop = writeSet('shop', {
  'shop.graphql': `
    query follow($token: ID!) @route(path: "/shop/orders/{token}") { order(id: $token) { status } }`,
});
const app = await startApp({ operations: [shop] });
const execute = <T extends object[]>(sql: string, values: unknown[] = []) => app.orm.em.fork().execute<T>(sql, values);
await openStore(app, 'own');
await openStore(app, 'foreign');
const headers = await guestHeaders(app, 'own');
const guest = createGuest(app, headers);
const otherShop = createGuest(app, await guestHeaders(app, 'own', 'foreign'));
const secret = { 'x-api-key': await app.newKey({ all: true, permissions: ['ORDERS', 'ADMIN'] }) };

const countOrders = async () =>
  (await execute<[{ count: number }]>('select count(*)::int as count from orders'))[0].count;
const lastOrder = async () =>
  (await execute<[{ id: string; status: string }]>('select id, status from orders order by id desc limit 1'))[0];
/** Nothing is placed, and every reason is at one of these paths. */
const expectRefused = async (input: object, ...paths: string[]) => {
  const before = await countOrders();
  const { data, errors } = await guest.place(input);
  expect(data?.placeOrder ?? null).toBeNull();
  const found = errors[0].extensions.errors.map(({ path }: { path: string[] }) => path.join('.'));
  expect(found.toSorted()).toEqual(paths.map(path => `input.${path}`).toSorted());
  expect(await countOrders()).toBe(before);
};
const codesOf = async (query: string, variables: object = {}, given: Record<string, string> = headers) => {
  const { body } = await app.graphql(query, variables, given);
  return (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
};

/** No test leaves so many orders to decide on that another meets the limit. */
const input = (given: object = {}) => orderOf('own', given);
const token = await guest.order(input());
const { id: orderId } = await lastOrder();

describe('Somebody who wants the order of another', () => {
  test('1. uses the token with another publishable key', async () => {
    expect(await otherShop.read(token)).toBeNull();
    expect((await otherShop.cancel(token)).data.cancelGuestOrder).toBeNull();
  });

  test('2. uses the token with a secret key, or with none', async () => {
    expect((await app.graphql(reading, { token }, secret)).body.data.guestOrder).toBeNull();
    expect((await app.graphql(reading, { token }, { 'x-api-key': '' })).status).toBe(401);
    expect(await codesOf(cancelling, { token }, secret)).toEqual(['FORBIDDEN']);
  });

  test('3. tries ids, numbers, hashes and other texts as tokens', async () => {
    const [{ hash }] = await execute<[{ hash: Buffer }]>('select hash from guest_token where order_id = ?', [orderId]);
    const hashes = ['hex', 'base64', 'base64url', 'latin1'].map(encoding => hash.toString(encoding as BufferEncoding));
    for (const text of [orderId, orderId.slice(-4), ...hashes, '', '%', "' or true --", '\0', 'carte_guest_', '\ud800'])
      expect(await guest.read(text)).toBeNull();
  });

  test('4. changes, cuts or extends a token', async () => {
    const last = token.endsWith('A') ? 'B' : 'A';
    const variants = [token.slice(0, -1), `${token}A`, token.slice(0, -1) + last, token.toUpperCase(), ` ${token}`];
    for (const variant of [...variants, token.replace('carte_guest_', '')])
      expect(await guest.read(variant)).toBeNull();
  });

  test('5. measures how long wrong tokens take: they cost the same statement, whatever is wrong with them', async () => {
    const ended = await guest.order(input());
    await execute("update orders set status = 'REJECTED', completed_at = now() - interval '2 days' where id = ?", [
      (await lastOrder()).id,
    ]);
    const statementsOf = async (given: string, reader = guest) =>
      (await app.statements.during(() => reader.read(given))).statements.filter(text => !text.includes('api_key'));
    const wrong = await statementsOf(`carte_guest_${'x'.repeat(22)}`);
    expect(wrong).toHaveLength(1);
    for (const [given, reader] of [
      [token.slice(0, -2), guest],
      [ended, guest],
      [token, otherShop],
      ['x', guest],
    ] as const)
      expect(await statementsOf(given, reader)).toEqual(wrong);
    expect((await statementsOf(token)).length).toBeGreaterThan(1);
  });

  test('6. keeps a token whose store the key no longer has, or whose key is revoked', async () => {
    const leaving = await guestHeaders(app, 'own', 'foreign');
    const page = createGuest(app, leaving);
    const kept = await page.order(orderOf('foreign'));
    const { id } = await lastOrder();
    const [{ keyId }] = await execute<[{ keyId: string }]>('select placed_by as "keyId" from orders where id = ?', [
      id,
    ]);
    expect(await page.read(kept)).not.toBeNull();
    await execute("delete from api_key_grant where key_id = ? and store_id = 'foreign'", [keyId]);
    expect(await page.read(kept)).toBeNull();
    await execute('update api_key set revoked_at = now() where id = ?', [keyId]);
    expect((await app.graphql(reading, { token: kept }, leaving)).status).toBe(401);
  });

  test('7. repeats the order with an idempotency key that is not known to be another’s', async () => {
    const first = input();
    await guest.order(first);
    const { id } = await lastOrder();
    const changed = await guest.place({ ...first, customer: { name: 'Eve', phone: '' } });
    expect(changed.errors[0].extensions.errors[0].type).toBe('idempotency_key_reused');
    expect(JSON.stringify(changed)).not.toContain(id);
    // With another key it is another order.
    expect(await otherShop.read(await otherShop.order(first))).not.toBeNull();
    expect((await lastOrder()).id).not.toBe(id);
  });

  test('8. uses the idempotency key of an order of the store, as it is and as it is stored', async () => {
    const secretly = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
    const placed = input();
    const place = async () => (await app.graphql(secretly, { input: placed }, secret)).body.data.placeOrder.order.id;
    const id = await place();
    await guest.order(placed);
    expect((await lastOrder()).id).not.toBe(id);
    expect(await place()).toBe(id);
    await expectRefused(input({ idempotencyKey: 'kiosk-2-000417' }), 'idempotencyKey');
    await expectRefused(input({ idempotencyKey: randomUUID().slice(1) }), 'idempotencyKey');
    const { errors } = await guest.place(input({ idempotencyKey: 'kiosk-2-000417' }));
    expect(errors[0].extensions.errors).toMatchObject([
      { message: 'the text has 14 characters; it must have at least 36' },
    ]);
  });

  test('9. replays one order, many times at once: it is one order with one token', async () => {
    const before = await countOrders();
    const again = input();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => guest.order(again)));
    expect(await countOrders()).toBe(before + 1);
    const found = await Promise.all(tokens.map(each => guest.read(each)));
    expect([new Set(tokens).size, found.filter(Boolean).length]).toEqual([10, 1]);
    await execute("update orders set status = 'ACCEPTED'");
  });
});

describe('Somebody who wants the graph behind an order', () => {
  test('10. selects the order of the payload: nothing is placed', async () => {
    const before = await countOrders();
    const query = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { guestToken order { id } } }';
    expect(await codesOf(query, { input: input() })).toEqual(['FORBIDDEN']);
    expect(await countOrders()).toBe(before);
  });

  test('11. follows the fields of GuestOrder: they lead to texts and amounts alone', () => {
    const { schema } = app.server.graph;
    const found = new Set(['GuestOrder']);
    for (const name of found) {
      const type = schema.getType(name);
      for (const field of isObjectType(type) ? Object.values(type.getFields()) : [])
        if (isObjectType(getNamedType(field.type))) found.add(getNamedType(field.type).name);
    }
    expect([...found].toSorted()).toEqual([
      'GuestOrder',
      'GuestOrderLine',
      'GuestOrderLineModifier',
      'Money',
      'MultilingualText',
    ]);
  });

  test('12. reads orders by id, by node and in lists', async () => {
    const nodeId = Buffer.from(`Order:${orderId}`).toString('base64url');
    for (const query of [
      `{ order(id: "${orderId}") { id } }`,
      `{ node(id: "${nodeId}") { ... on Order { id } } }`,
      '{ store(id: "own") { orders { nodes { id } } } }',
      '{ store(id: "own") { orders { totalCount } } }',
      '{ store(id: "own") { ordersRevision } }',
      '{ events { next } }',
    ])
      expect(await codesOf(query)).toEqual(['FORBIDDEN']);
    for (const path of [`/v1/orders/${orderId}`, '/v1/stores/own/orders/'])
      expect((await app.get(path, headers)).status).toBe(403);
  });

  test('13. calls every other mutation', async () => {
    const mutations = Object.values(app.server.graph.schema.getMutationType()?.getFields() ?? {});
    const others = mutations.filter(({ name }) => !['placeOrder', 'cancelGuestOrder'].includes(name));
    expect(others.map(({ name }) => name)).toContain('changeOrderStatus');
    for (const { name, args } of others) {
      const type = getNamedType(args.find(argument => argument.name === 'input')?.type);
      const query = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
      const { body } = await app.graphql(query, { input: {} }, headers);
      expect([body.data, body.errors[0].message]).toEqual([undefined, `Mutation.${name} is not for publishable keys.`]);
    }
    const body = { customer: { name: 'Eve', phone: '' }, lines: [{ item_external_id: 'item' }] };
    const routed = await app.post('/pos/v1/stores/own/orders', body, { ...headers, 'idempotency-key': randomUUID() });
    expect(routed.status).toBe(403);
  });

  test('14. listens to the orders of the store', async () => {
    for (const field of ['orderEvents(storeId: "own") { orderId }', 'storeEvents { storeId }'])
      expect(await codesOf(`subscription { ${field} }`)).toEqual(['FORBIDDEN']);
    const query = 'subscription ($token: String!) { guestOrderEvents(token: $token) { order { status } } }';
    const stream = openStream(
      'sse',
      { url: app.url, key: String(secret['x-api-key']) },
      { query, variables: { token } },
    );
    expect((await stream.next()).errors[0].extensions.errors[0].path).toEqual(['token']);
    stream.close();
  });

  test('15. places orders with a key that may only read, or in a store outside of its scope', async () => {
    const reader = await app.newKey({ publishable: true, permissions: [], origins: [origin], storeIds: ['own'] });
    expect(await codesOf(placing, { input: input() }, { 'x-api-key': reader, origin })).toEqual(['FORBIDDEN']);
    expect((await guest.place(orderOf('foreign'))).data.placeOrder).toBeNull();
  });
});

describe('Somebody who wants to pay less, or to annoy the kitchen', () => {
  test('16. gives a discount, a charge or a payment, be it none', async () => {
    const amount = [{ name: 'x', amount: 1 }];
    await expectRefused(input({ discounts: amount }), 'discounts');
    await expectRefused(input({ charges: amount }), 'charges');
    await expectRefused(input({ payments: [{ method: 'card', amount: 1, state: 'PAID' }] }), 'payments');
    await expectRefused(input({ discounts: [], charges: [], payments: [] }), 'discounts', 'charges', 'payments');
  });

  test('17. gives a negative tip', () => expectRefused(input({ tip: -1 }), 'tip'));

  test('18. orders negative quantities', async () => {
    const line = (quantity: number) => ({ itemExternalId: 'item', quantity });
    await expectRefused(input({ lines: [line(-1), line(0), line(5)] }), 'lines.0.quantity', 'lines.1.quantity');
    const modifier = { modifierGroupExternalId: 'group', modifierItemExternalId: 'modifier', quantity: -1 };
    const { errors } = await guest.place(input({ lines: [{ itemExternalId: 'item', modifiers: [modifier] }] }));
    expect(errors[0].extensions.errors[0].path.join('.')).toBe('input.lines.0.modifiers.0.quantity');
  });

  test('19. orders huge quantities, in one line or in many', async () => {
    await expectRefused(input({ lines: [{ itemExternalId: 'item', quantity: 101 }] }), 'lines');
    const lines = Array.from({ length: 101 }, () => ({ itemExternalId: 'item' }));
    await expectRefused(input({ lines }), 'lines');
  });

  test('20. orders what no menu lists, or for another year', async () => {
    await execute("update category set item_external_ids = '{}' where store_id = 'foreign'");
    await execute("update store set menu_revision = menu_revision where id = 'foreign'");
    const { errors } = await otherShop.place(orderOf('foreign'));
    expect(errors[0].extensions.errors[0].type).toBe('reference_not_found');
    await expectRefused(input({ readyBy: '2099-01-01T12:00:00Z' }), 'readyBy');
    await expectRefused(input({ readyBy: '2020-01-01T12:00:00Z' }), 'readyBy');
  });

  test('21. floods the store, also with many orders in one request: most are refused', async () => {
    const flooding = createGuest(app, await guestHeaders(app, 'own'));
    const before = await countOrders();
    const inputs = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`input${index}`, input()]));
    const names = Object.keys(inputs);
    const query = `mutation (${names.map(name => `$${name}: PlaceOrderInput!`).join(', ')}) {
      ${names.map(name => `${name}: placeOrder(input: $${name}) { guestToken }`).join(' ')}
    }`;
    const several = await flooding.send(query, inputs);
    const rest = await Promise.all(Array.from({ length: 40 }, () => flooding.place(input())));
    const codes = [several, ...rest].flatMap(({ errors = [] }) =>
      errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code),
    );
    expect(new Set(codes)).toEqual(new Set(['TOO_MANY_REQUESTS']));
    expect((await countOrders()) - before).toBe(20);
    await execute("update orders set status = 'ACCEPTED'");
  });

  test('sends texts that are too long: the size of the body counts before that of a text', async () => {
    const place = (length: number) =>
      app.graphql(placing, { input: input({ customerComments: 'x'.repeat(length) }) }, headers);
    const { status, body } = await place(100_000);
    expect([status, body.errors[0].message]).toEqual([413, 'With a publishable key, a body has at most 65536 bytes.']);
    const refused = await place(60_000);
    expect(refused.body.errors[0].extensions.errors).toMatchObject([{ path: ['input', 'customerComments'] }]);
  });

  test('22. cancels what the store has accepted', async () => {
    const accepted = await guest.order(input());
    const { id } = await lastOrder();
    await execute("update orders set status = 'ACCEPTED' where id = ?", [id]);
    expect((await guest.cancel(accepted)).errors[0].extensions.code).toBe('CONFLICT');
    expect((await lastOrder()).status).toBe('ACCEPTED');
  });
});

describe('A token that is where it should not be', () => {
  const literal = `{ guestOrder(token: "${token}") { number } }`;

  test('23. in a URL: it is refused, whatever the method, the encoding and the route', async () => {
    const query = encodeURIComponent(reading);
    const variables = encodeURIComponent(JSON.stringify({ token }));
    const escaped = encodeURIComponent(JSON.stringify({ token }).replace('carte', '\\u0063arte'));
    const encoded = [...variables].map(each => (each === '_' ? '%5F' : each)).join('');
    for (const url of [
      ...[variables, escaped, encoded].map(each => `/graphql?query=${query}&variables=${each}`),
      `/graphql?query=${encodeURIComponent(literal)}`,
    ]) {
      const { body, text } = await app.get(url, { ...headers, 'content-type': 'application/json' });
      expect([body.data, body.errors[0].extensions.code]).toEqual([undefined, 'BAD_USER_INPUT']);
      expect(text).not.toContain(token);
      const stream = await fetch(app.url + url, { headers: { ...headers, accept: 'text/event-stream' } });
      expect(await stream.text()).not.toContain('PENDING');
    }
    expect((await app.get(`/shop/orders/${token}`, headers)).status).toBe(403);
  });

  test('24. in the text of a document, also a persisted one or one over WebSocket: it is refused, and kept nowhere', async () => {
    const inDefault = `query ($token: String! = "${token}") { guestOrder(token: $token) { number } }`;
    for (const query of [literal, inDefault, `# ${token}\n{ store(id: "own") { id } }`])
      expect(await codesOf(query)).toEqual(['BAD_USER_INPUT']);
    const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(literal).digest('hex') };
    const send = (body: object) => app.post('/graphql', { ...body, extensions: { persistedQuery } }, headers);
    expect((await send({ query: literal })).body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect((await send({})).body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
    const query = `subscription { guestOrderEvents(token: "${token}") { order { number } } }`;
    const stream = openStream('websocket', { url: app.url, key: String(headers['x-api-key']) }, { query });
    await expect(stream.next()).rejects.toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    stream.close();
  });

  test('25. in errors about other values: it is redacted', async () => {
    const wrong = [
      [placing, { input: input({ tip: token }) }],
      [placing, { input: input({ [token]: 1 }) }],
      [placing, { input: input({ lines: [{ itemExternalId: token }] }) }],
      [placing, { input: input({ idempotencyKey: token }) }],
      [reading, { token: [token] }],
      ['subscription ($after: String) { menuEvents(storeId: "own", after: $after) { cursor } }', { after: token }],
      ['subscription ($id: ID!) { menuEvents(storeId: $id) { cursor } }', { id: token }],
    ] as const;
    for (const [query, variables] of wrong) {
      const sent = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ query, variables });
      const text = await (await fetch(`${app.url}/graphql`, { method: 'POST', headers: sent, body })).text();
      expect(text).toContain('BAD_USER_INPUT');
      expect(text).not.toContain(token);
    }
  });

  test('26. in logs, traces and metrics: it is in none of them', async () => {
    const { endpoint, received } = await startCollector();
    const plain = `carte_guest_${'a'.repeat(22)}`;
    let metrics = '';
    const { said } = await observe(
      app.orm,
      { CARTE_LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      async url => {
        const post = (body: object, more: object = {}) =>
          fetch(`${url}/graphql`, {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json', ...more },
            body: JSON.stringify(body),
          });
        const placed = await post({ query: placing, variables: { input: input() } });
        const { data } = (await placed.json()) as { data: { placeOrder: { guestToken: string } } };
        for (const each of [data.placeOrder.guestToken, token, plain]) {
          await post({ query: reading, variables: { token: each } }, { 'x-request-id': each, referer: each });
          await post({ query: reading, operationName: each, variables: { token: each } });
          await post({ query: `query ${each} { guestOrder(token: "${each}") { number } }` });
          await post({ query: cancelling, variables: { token: each } });
          await fetch(`${url}/graphql?query=${encodeURIComponent(reading)}&variables={"token":"${each}"}`, { headers });
          await fetch(`${url}/shop/orders/${each}`, { headers });
        }
        metrics = await (await fetch(`${url}/metrics`)).text();
      },
    );
    expect([said.includes('Follow'), received.join('').includes('Follow')]).toEqual([true, true]);
    for (const text of [said, metrics, received.join('')]) expect(text).not.toMatch(/carte_guest_\w/);
  });

  test('27. in the database: it has nothing but the hash', async () => {
    const tables = await execute<{ name: string }[]>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    expect(tables.length).toBeGreaterThan(15);
    for (const { name } of tables) {
      const [row] = await execute<[{ found: number }]>(
        `select count(*)::int as found from "${name}" t where t::text like '%carte\\_guest\\_%'`,
      );
      expect([name, row.found]).toEqual([name, 0]);
    }
  });

  test('28. in caches: responses are not stored, shared, compressed or given an ETag', async () => {
    const send = (query: string, variables: object, given = headers) =>
      app.graphql(query, variables, { ...given, 'accept-encoding': 'gzip, br' });
    const long = 'query ($token: String!) { guestOrder(token: $token) { number customerComments status } }';
    const placed = input({ customerComments: 'x'.repeat(1_000) });
    const responses = [await send(placing, { input: placed })];
    const { guestToken } = responses[0]?.body.data.placeOrder ?? {};
    // Twice, since a query is compiled the second time.
    for (let time = 0; time < 3; time++) responses.push(await send(long, { token: guestToken }));
    const [own, others] = await Promise.all([
      send(long, { token: guestToken }),
      send(long, { token: guestToken }, otherShop.headers),
    ]);
    expect([own.body.data.guestOrder.status, others.body.data.guestOrder]).toEqual(['PENDING', null]);
    for (const response of [...responses, own]) {
      expect(response.body.errors).toBeUndefined();
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect([response.headers.get('etag'), response.headers.get('content-encoding')]).toEqual([null, null]);
    }
  });

  test('29. on a page of another origin: the browser may not send it, nor read a response', async () => {
    for (const foreign of ['https://evil.example', 'null', 'http://shop.example']) {
      const response = await app.graphql(reading, { token }, { ...headers, origin: foreign });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      const socket = new WebSocket(app.url.replace('http', 'ws').concat('/graphql'), 'graphql-transport-ws', {
        origin: foreign,
      });
      await expect(
        new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject)),
      ).rejects.toThrow('403');
    }
  });
});
