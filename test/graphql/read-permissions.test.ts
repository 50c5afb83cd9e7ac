import { buildASTSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { authorizeRootFields, readReadable } from '../../src/graphql/authorization.ts';
import { inheritDirectives } from '../../src/graphql/inherit-directives.ts';
import type { Permission } from '../../src/scope.ts';
import { openStream } from '../../support/streams.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
const store = await app.data.store({ id: 'baixa' });
await app.data.menu(store);
const [order] = await app.data.orders(store, 1);
const headersWith = async (...permissions: Permission[]) => ({ 'x-api-key': await app.newKey({ permissions }) });
const orders = await headersWith('READ_ORDERS');
const menus = await headersWith('READ_MENUS');

const forbidden = (path: readonly string[], coordinate: string, granted: string, needed: string) => ({
  message: `This API key may not read ${coordinate}: it has ${granted}, but not ${needed}.`,
  path,
  locations: [expect.anything()],
  extensions: { code: 'FORBIDDEN' },
});

describe('a field that the key may not read', () => {
  test('is refused before execution, each field once and with its path, through aliases and fragments', async () => {
    const query = `query { shop: store(id: "baixa") { id ...A } again: store(id: "baixa") { ...A } }
      fragment A on Store { ... on Store { latest: orders { totalCount } } phone menuHistory { totalCount } }`;
    const { result, statements } = await app.statements.during(() => app.graphql(query, {}, orders));
    expect(result.body).toEqual({
      errors: [
        forbidden(['shop', 'phone'], 'Store.phone', 'READ_ORDERS', 'READ_MENUS'),
        forbidden(['shop', 'menuHistory'], 'Store.menuHistory', 'READ_ORDERS', 'READ_HISTORY'),
      ],
    });
    expect(statements.filter(statement => !statement.includes('from api_key k'))).toEqual([]);
    const accepted = await app.send('POST', '/graphql', {
      body: JSON.stringify({ query }),
      headers: { ...orders, 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    });
    expect(accepted.status).toBe(400);
  });

  test('is refused whether its response is cached or not, and whatever the ETag', async () => {
    const query = '{ store(id: "baixa") { menuRevision menus { externalId } } }';
    const path = '/v1/stores/baixa/menu_configuration/';
    expect((await app.graphql(query)).body.data.store.menus).toEqual([{ externalId: 'menu' }]);
    expect((await app.graphql(query, {}, orders)).body.errors[1]).toMatchObject({ path: ['store', 'menus'] });
    const etag = (await app.get(path)).headers.get('etag') ?? '';
    expect((await app.get(path, { 'if-none-match': etag })).status).toBe(304);
    for (const ifNoneMatch of [etag, '*', '"x"']) {
      const { status, headers } = await app.get(path, { ...orders, 'if-none-match': ifNoneMatch });
      expect([status, headers.get('etag')]).toEqual([403, null]);
    }
    expect((await app.get(`/v1/orders/${order?.id}`, menus)).body).toEqual({
      detail: 'This API key may not read Query.order: it has READ_MENUS, but not READ_ORDERS.',
    });
  });

  test('is refused in every operation of a document that does not say which is executed', async () => {
    const query = 'query A { stores { totalCount } } query B { order(id: "x") { id } }';
    const send = (operationName?: string) => app.post('/graphql', { query, operationName }, menus);
    expect((await send()).body.errors[0].path).toEqual(['order']);
    expect((await send('A')).body.data.stores.totalCount).toBe(1);
    expect((await send('B')).body.errors[0].path).toEqual(['order']);
  });

  test('is refused in the payload of a mutation, which then changes nothing', async () => {
    const mark = `mutation { markOrders(input: { orderIds: ["${order?.id}"], isRead: true }) { orders { isRead } } }`;
    const writer = await headersWith('ORDERS', 'MENU', 'READ_HISTORY');
    expect((await app.graphql(mark, {}, writer)).body.errors[0].path).toEqual(['markOrders', 'orders', 'isRead']);
    expect((await app.graphql(`{ order(id: "${order?.id}") { isRead } }`)).body.data.order.isRead).toBe(false);
    const posted = await app.post('/v1/stores/baixa/menu_configuration/', { items: [] }, writer);
    expect(posted.status).toBe(403);
    expect((await app.graphql('{ store(id: "baixa") { items { externalId } } }')).body.data.store.items).toHaveLength(
      1,
    );
    const blind = mark.replace('{ orders { isRead } }', '{ __typename }');
    expect((await app.graphql(blind, {}, writer)).body.data.markOrders).toEqual({ __typename: 'MarkOrdersPayload' });
  });

  test.each(['sse', 'websocket'] as const)('is refused in a stream over %s', async transport => {
    const query =
      'subscription { menuEvents(storeId: "baixa") { store { phone } orders: store { orders { totalCount } } } }';
    const service = { url: app.url, key: menus['x-api-key'] };
    const stream = openStream(transport, service, { query });
    const result = await stream.next().catch((error: unknown) => ({ errors: error }));
    expect(result.errors[0]).toMatchObject({
      path: ['menuEvents', 'orders', 'orders'],
      extensions: { code: 'FORBIDDEN' },
    });
    stream.close();
  });

  test('ends a stream whose key loses the permission', async () => {
    const key = await app.newKey({ name: 'loser', permissions: ['READ_ORDERS', 'READ_MENUS'] });
    const query = 'subscription { menuEvents(storeId: "baixa") { menuRevision } }';
    const stream = openStream('sse', { url: app.url, key }, { query });
    let hasEnded = false;
    const keepChanging = async () => {
      for (let inStock = false; !hasEnded; inStock = !inStock) {
        await app.graphql(
          `mutation { setStock(input: { storeId: "baixa", items: [{ externalId: "item", inStock: ${inStock} }] }) { store { menuRevision } } }`,
        );
      }
    };
    const changing = keepChanging();
    expect((await stream.next()).data.menuEvents.menuRevision).toEqual(expect.any(Number));
    await app.orm.em.fork().execute("update api_key set permissions = '{READ_ORDERS}' where name = 'loser'");
    const rest = await stream.rest();
    hasEnded = true;
    await changing;
    expect(rest.at(-1).errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
  });
});

test('an API key says what it may read', async () => {
  const read = async (headers: Record<string, string>) =>
    (await app.graphql('{ viewer { permissions readPermissions } }', {}, headers)).body.data.viewer;
  expect(await read(orders)).toEqual({ permissions: ['READ_ORDERS'], readPermissions: ['READ_ORDERS'] });
  const everything = ['READ_MENUS', 'READ_ORDERS', 'READ_HISTORY'];
  expect(await read(await headersWith())).toEqual({ permissions: [], readPermissions: everything });
  expect(await read(await headersWith('STOCK'))).toEqual({ permissions: ['STOCK'], readPermissions: everything });
});

describe('an administrator who may not read orders', async () => {
  const admin = await headersWith('ADMIN', 'READ_MENUS');
  const message = 'This API key has READ_MENUS, and cannot give away READ_ORDERS, READ_HISTORY.';

  test('gets no key and no webhook that may', async () => {
    const create = (permissions: string) =>
      app.graphql(
        `mutation { createApiKey(input: { name: "x", all: true, permissions: [${permissions}] }) { secret } }`,
        {},
        admin,
      );
    expect((await create('READ_MENUS, STOCK')).body.data.createApiKey.secret).toMatch(/^carte_/);
    expect((await create('STOCK')).body).toMatchObject({
      data: { createApiKey: null },
      errors: [{ message, path: ['createApiKey'], extensions: { code: 'FORBIDDEN' } }],
    });
    const id = (await app.graphql('{ viewer { id } }')).body.data.viewer.id;
    const rotated = await app.graphql(`mutation { rotateApiKey(input: { apiKeyId: "${id}" }) { secret } }`, {}, admin);
    expect(rotated.body.errors[0]).toMatchObject({ message, path: ['rotateApiKey'] });
    const webhook = (kind: string) =>
      app.graphql(
        `mutation { createWebhook(input: { url: "http://127.0.0.1:9/", storeId: "baixa", kinds: [MENU_CHANGED, ${kind}] }) { secret } }`,
        {},
        admin,
      );
    expect((await webhook('ORDER_PLACED')).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await webhook('STORE_CHANGED')).body.errors).toBeUndefined();
  });
});

describe('a schema', () => {
  const start = (sdl: string) => {
    const directives = `directive @readable(with: Permission, byGuests: Boolean! = false) repeatable on OBJECT | FIELD_DEFINITION
      directive @requires(permission: Permission!) on FIELD_DEFINITION
      enum Permission { ADMIN READ_MENUS }`;
    const schema = buildASTSchema(inheritDirectives(parse(`${directives} ${sdl}`)));
    authorizeRootFields(schema);
    readReadable(schema);
    return schema;
  };

  test('in which a field does not say who may read it stops the start, and says what to write', () => {
    const sdl = `type Query @readable { a: T b: Int @requires(permission: ADMIN) }
      type T { id: ID! name: String @readable(with: ADMIN) }
      extend type T @readable(with: READ_MENUS) { fine: Int }
      type Mutation { c: Int @requires(permission: ADMIN) } type Subscription { d: Int }`;
    expect(() => start(sdl)).toThrow(
      'Nothing says who may read these fields: T.id, T.name (ADMIN is not a permission for reading), all of Subscription. Write @readable(with: READ_MENUS)',
    );
  });
});
