import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readContract } from '@carte/operations/contract/contract';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { buildSchema, type GraphQLObjectType, isObjectType, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { readBuiltInSets } from '../../src/rest/sets.ts';
import { documentsOfPages } from '../../src/server/pages/mount.ts';
import { startApp } from '../support/app.ts';
import { queriesOfTypes, readableFields } from '../support/readable.ts';

const graphqlLimits = { depth: 15, aliases: 100, cost: 10 ** 12, streamCost: 10 ** 6, objects: 10 ** 6 };
/** Every route of the service. */
const served: RouteOptions[] = [];
const collect = (message: unknown) =>
  (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', route => void served.push(route));
subscribe('fastify.initialization', collect);
const app = await startApp({ graphqlLimits, mcp: { enabled: true, resultBytes: 65_536 } });
unsubscribe('fastify.initialization', collect);
const store = await app.data.store({ id: 'baixa', contacts: { owner: 'secret' } });
await app.data.menu(store);
const [order] = await app.data.orders(store, 1, { customerName: 'Ana Lima' });

/** The kinds of keys, and what each may read of what says so. */
const kinds = {
  all: { permissions: [], isReadable: () => true },
  menus: { permissions: ['READ_MENUS'], isReadable: needs('READ_MENUS') },
  orders: { permissions: ['READ_ORDERS'], isReadable: needs('READ_ORDERS') },
  own: {
    permissions: ['READ_OWN_ORDERS'],
    isReadable: (coordinate: string) => {
      const { with: needed, byPlacer = false } = readableFields.get(coordinate) ?? {};
      return needed === undefined || byPlacer;
    },
  },
  history: { permissions: ['READ_HISTORY'], isReadable: needs('READ_HISTORY') },
  publishable: {
    permissions: [],
    isReadable: (coordinate: string) => readableFields.get(coordinate)?.byGuests === true,
  },
} as const;

function needs(permission: string) {
  return (coordinate: string) => [undefined, permission].includes(readableFields.get(coordinate)?.with);
}

/** The types that nobody reads without a permission. */
const typesOf: Readonly<Record<string, RegExp>> = {
  READ_MENUS: /^(Menu|Category|MenuItem|Modifier.*|MenuDiagnostic|MenuEvent|StoreEvent|MerchantConnection)\./,
  READ_ORDERS: /^(Order|OrderConnection|OrderEdge|OrderEvent|Customer)\./,
  READ_HISTORY: /^Menu(Revision.*|Configuration|History.*|Change.*|Entity.*|Field.*|Placement.*)\./,
};

/** Where a key that reads its own orders gets no others. */
const ownTypes = /^(Order|OrderConnection|OrderEdge|OrderStep|OrderPayment|Customer)\./;

/** What guests see of no store. */
const hidden =
  /^(Order(?!Quote|Problem|Line|LineModifier|Adjustment).*|Customer|ApiKey.*|Webhook.*|Menu(Revision|Configuration|History|Change|Entity|Field|Placement|Diagnostic).*|StoreEvent)\./;
const hiddenFields = ['Store.contacts', 'Store.items', 'MenuItem.categories', 'Query.viewer', 'Query.order'];

const operations = readBuiltInSets().flatMap(set => readContract(loadSchema(), set).operations);

/** Beside the routes of operations, those that depend on the key, with their status for one that is publishable; all others are pages. */
const others: Readonly<Record<string, number>> = {
  'GET /graphql': 400,
  'POST /graphql': 400,
  'POST /mcp': 403,
  'POST /openapi/preview': 403,
};
const pathsOfOperations = operations.map(({ route }) => route.path.replaceAll(/\{(\w+)\}/g, ':$1'));
const routesOfNoOperation = served
  // Routes of nearly all methods redirect, or say that there is nothing or not by this method.
  .filter(({ method, url }) => !pathsOfOperations.includes(url) && !method.includes('TRACE'))
  .flatMap(({ method, url }) => [method].flat().map(name => `${name} ${url}`))
  .filter(route => !/^(HEAD|OPTIONS) /.test(route));
const pages = routesOfNoOperation
  .filter(route => !(route in others))
  .map(route => route.replace('*', 'menu/main.ts').replaceAll(/:\w+/g, 'baixa'));

const guestRoutes = [
  'getMerchant',
  'listMerchants',
  'getStore',
  'listStores',
  'getMenuConfiguration',
  'listStoreMenus',
  'getStoreItem',
  'getStoreSpecialHours',
  'quoteStoreOrder',
];

/** The permission that each route needs; with any, events have what the key may read. */
const routes: Readonly<Record<string, string>> = {
  getMerchant: 'READ_MENUS',
  listMerchants: 'READ_MENUS',
  getStore: 'READ_MENUS',
  listStores: 'READ_MENUS',
  getMenuConfiguration: 'READ_MENUS',
  getMenuConfigurationFlat: 'READ_MENUS',
  getStoreSpecialHours: 'READ_MENUS',
  listStoreMenus: 'READ_MENUS',
  searchStoreItems: 'READ_MENUS',
  getStoreItem: 'READ_MENUS',
  createMenuConfiguration: 'READ_MENUS',
  getOrder: 'READ_ORDERS',
  listOrders: 'READ_ORDERS',
  listStoreEvents: 'any',
  listEvents: 'any',
  quoteStoreOrder: 'READ_MENUS',
};

describe.each(Object.entries(kinds))('a key that reads %s', async (kind, { permissions, isReadable }) => {
  const publishable = kind === 'publishable';
  const has = (permission: string) => kind === 'all' || permissions.some(granted => granted === permission);
  const headers = { 'x-api-key': await app.newKey({ name: kind, storeIds: [store.id], permissions, publishable }) };
  const queries = queriesOfTypes(isReadable);

  test('may select just the fields of each type that say so', async () => {
    for (const { type, query, path, fields } of queries) {
      const refused = fields.filter(name => !isReadable(`${type}.${name}`)).map(name => [...path, name]);
      const { status, body } = await app.graphql(query, {}, headers);
      // A subscription that may be read lacks the header `accept`.
      const isRefused = status === 200 && body.data === undefined;
      expect(isRefused, query).toBe(refused.length > 0);
      if (!isRefused) continue;
      expect(
        body.errors.map((error: { path: string[] }) => error.path),
        type,
      ).toEqual(refused);
      expect(body.errors[0]).toMatchObject({ locations: [{ line: 1 }], extensions: { code: 'FORBIDDEN' } });
    }
  });

  test('reads no field of a type that another permission is for', () => {
    const coordinates = queries.flatMap(({ type, fields }) => fields.map(name => `${type}.${name}`));
    const readable = coordinates.filter(isReadable);
    for (const [permission, pattern] of Object.entries(typesOf)) {
      const found = readable.filter(
        coordinate => pattern.test(coordinate) && !(kind === 'own' && ownTypes.test(coordinate)),
      );
      if (has(permission) || (publishable && permission === 'READ_MENUS')) expect(found).not.toEqual([]);
      else expect(found).toEqual([]);
    }
  });

  test('gets 403 from just the routes whose operation selects anything else', async () => {
    for (const { name, route, kind: operation } of operations) {
      const permission = routes[name];
      if (route.method === 'GET') expect(permission, name).toBeDefined();
      const path = route.path.replace('{store_service_id}', store.id).replace('{order_service_id}', order?.id ?? '');
      const url = path.replace('{merchant_service_id}', String(store.merchant)).replace('{item_external_id}', 'item');
      // An order of another key does not exist.
      const statusOfOwn = { getOrder: 404, listOrders: 200 }[name] ?? 403;
      const isAllowed = publishable ? guestRoutes.includes(name) : permission === 'any' || has(permission ?? '');
      const { status, text } = await app.send(route.method, url, { headers });
      const refused = kind === 'own' ? statusOfOwn : 403;
      if (route.method === 'GET') expect([status, name]).toEqual([isAllowed ? 200 : refused, name]);
      // Without a body.
      else if (operation === 'query') expect([status, name]).toEqual([isAllowed ? 422 : 403, name]);
      else expect(status).toBe(403);
      if (status === 403 || kind === 'own') expect(text).not.toContain('Ana');
      if (route.path.startsWith('/v1/'))
        expect(text.includes('owner'), name).toBe(kind === 'all' || kind === 'menus' ? /Store/.test(name) : false);
    }
  });

  test('gets from each page what anyone gets, and the rest by its kind', async () => {
    for (const page of pages) {
      const [method = '', url = ''] = page.split(' ');
      const [own, anyone] = [await app.get(url, headers), await app.get(url, { 'x-api-key': '' })];
      // Metrics count requests.
      const seen = ({ status, text }: typeof own) => [page, status, url === '/metrics' ? '' : text];
      expect(method).toBe('GET');
      expect(seen(own)).toEqual(seen(anyone));
      expect(own.text).not.toContain('Ana Lima');
    }
    expect(routesOfNoOperation).toEqual(expect.arrayContaining([...Object.keys(others), 'GET /menu', 'GET /docs']));
    for (const [route, status] of Object.entries(others)) {
      const [method = '', url = ''] = route.split(' ');
      const { status: found } = await app.send(method, url, { headers });
      if (publishable) expect([route, found]).toEqual([route, status]);
      else expect([route, found]).not.toEqual([route, 403]);
    }
  });
});

test('a publishable key executes what the menu viewer sends for it', async () => {
  const headers = { 'x-api-key': await app.newKey({ storeIds: [store.id], permissions: [], publishable: true }) };
  const variables = { store: store.id, languages: ['en'], at: '2026-03-07T01:30:00Z' };
  const execute = async (operationName: string) => {
    const query = documentsOfPages().find(document => new RegExp(`^query ${operationName}\\b`, 'm').test(document));
    return (await app.post('/graphql', { query, operationName, variables }, headers)).body.errors?.[0].extensions.code;
  };
  for (const name of ['Stores', 'StoreDetails', 'Languages', 'GuestMenu', 'Openings'])
    expect([name, await execute(name)]).toEqual([name, undefined]);
  for (const name of ['Menu', 'Diagnostics']) expect([name, await execute(name)]).toEqual([name, 'FORBIDDEN']);
});

test('/schema.graphql?for=guests has just the fields that a publishable key may select', async () => {
  const { isReadable } = kinds.publishable;
  const { text } = await app.get('/schema.graphql?for=guests', { 'x-api-key': '' });
  const guestSchema = buildSchema(text);
  expect(validateSchema(guestSchema)).toEqual([]);
  const listed = Object.values(guestSchema.getTypeMap())
    .filter(type => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap(type => Object.keys((type as GraphQLObjectType).getFields()).map(name => `${type.name}.${name}`));
  const selectable = queriesOfTypes(isReadable).flatMap(({ type, fields }) => fields.map(name => `${type}.${name}`));
  expect(listed.toSorted()).toEqual([...new Set(selectable.filter(isReadable))].toSorted());
  expect(listed).toEqual(expect.arrayContaining(['Query.quoteOrder', 'Store.item', 'Subscription.menuEvents']));
  expect(text).not.toMatch(/READ_|@readable|@requires|changeOrderStatus/);
  expect(text).toContain('@cost(weight: 1000)');
});

test('a key that reads its own orders reads no field that shows those of others', () => {
  const opened = [...readableFields].filter(([, { byPlacer }]) => byPlacer).map(([coordinate]) => coordinate);
  expect(opened.filter(coordinate => !ownTypes.test(coordinate))).toEqual(['Query.order', 'Store.orders']);
});

test('a publishable key reads nothing of orders, keys, webhooks, the history, diagnostics and what is in no menu', () => {
  const { isReadable } = kinds.publishable;
  const coordinates = queriesOfTypes(() => true).flatMap(({ type, fields }) => fields.map(name => `${type}.${name}`));
  expect(coordinates.length).toBeGreaterThan(350);
  expect(coordinates.filter(coordinate => hidden.test(coordinate) && isReadable(coordinate))).toEqual([]);
  expect(coordinates).toEqual(expect.arrayContaining(hiddenFields));
  expect(hiddenFields.filter(isReadable)).toEqual([]);
  const mutations = coordinates.filter(coordinate => coordinate.startsWith('Mutation.') && isReadable(coordinate));
  expect(mutations.toSorted()).toEqual(['Mutation.cancelGuestOrder', 'Mutation.placeOrder']);
});
