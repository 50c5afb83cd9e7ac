import { describe, expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { loadContract } from '../../src/rest/contract/contract.ts';
import { startApp } from '../support/app.ts';
import { queriesOfTypes, readableFields } from '../support/readable.ts';

const graphqlLimits = { depth: 15, aliases: 100, cost: 10 ** 12, streamCost: 10 ** 6, objects: 10 ** 6 };
const app = await startApp({ graphqlLimits });
const store = await app.data.store({ id: 'baixa', contacts: { owner: 'secret' } });
await app.data.menu(store);
const [order] = await app.data.orders(store, 1, { customerName: 'Ana Lima' });

/** The kinds of keys, and what each may read of what says so. */
const kinds = {
  all: { permissions: [], isReadable: () => true },
  menus: { permissions: ['READ_MENUS'], isReadable: needs('READ_MENUS') },
  orders: { permissions: ['READ_ORDERS'], isReadable: needs('READ_ORDERS') },
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

/** What guests see of no store. */
const hidden =
  /^(Order.*|Customer|ApiKey.*|Webhook.*|Menu(Revision|Configuration|History|Change|Entity|Field|Placement|Diagnostic).*|StoreEvent)\./;
const hiddenFields = [
  'Store.contacts',
  'Store.items',
  'Store.item',
  'MenuItem.categories',
  'Query.viewer',
  'Query.order',
];

const guestRoutes = ['getMerchant', 'listMerchants', 'getStore', 'listStores', 'getMenuConfiguration'];

/** The permission that each route needs. */
const routes: Readonly<Record<string, string>> = {
  getMerchant: 'READ_MENUS',
  listMerchants: 'READ_MENUS',
  getStore: 'READ_MENUS',
  listStores: 'READ_MENUS',
  getMenuConfiguration: 'READ_MENUS',
  getMenuConfigurationFlat: 'READ_MENUS',
  createMenuConfiguration: 'READ_MENUS',
  getOrder: 'READ_ORDERS',
  listOrders: 'READ_ORDERS',
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
      const found = readable.filter(coordinate => pattern.test(coordinate));
      if (has(permission) || (publishable && permission === 'READ_MENUS')) expect(found).not.toEqual([]);
      else expect(found).toEqual([]);
    }
  });

  test('gets 403 from just the routes whose operation selects anything else', async () => {
    for (const { name, route } of loadContract(loadSchema()).operations) {
      const permission = routes[name];
      expect(permission, name).toBeDefined();
      const path = route.path.replace('{store_service_id}', store.id).replace('{order_service_id}', order?.id ?? '');
      const url = path.replace('{merchant_service_id}', String(store.merchant));
      const isAllowed = publishable ? guestRoutes.includes(name) : has(permission ?? '');
      const { status, text } = await app.send(route.method, url, { headers });
      if (route.method === 'GET') expect([status, name]).toEqual([isAllowed ? 200 : 403, name]);
      else expect(status).toBe(403);
      if (status === 403) expect(text).not.toContain('Ana');
      expect(text.includes('owner'), name).toBe(kind === 'all' || kind === 'menus' ? /Store/.test(name) : false);
    }
  });
});

test('a publishable key reads nothing of orders, keys, webhooks, the history, diagnostics and what is in no menu', () => {
  const { isReadable } = kinds.publishable;
  const coordinates = queriesOfTypes(() => true).flatMap(({ type, fields }) => fields.map(name => `${type}.${name}`));
  expect(coordinates.length).toBeGreaterThan(350);
  expect(coordinates.filter(coordinate => hidden.test(coordinate) && isReadable(coordinate))).toEqual([]);
  expect(coordinates).toEqual(expect.arrayContaining(hiddenFields));
  expect(hiddenFields.filter(isReadable)).toEqual([]);
  expect(coordinates.filter(coordinate => coordinate.startsWith('Mutation.') && isReadable(coordinate))).toEqual([]);
});
