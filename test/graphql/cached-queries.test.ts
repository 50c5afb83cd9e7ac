import { hash } from 'node:crypto';
import { graphql, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { loadDemo } from '../../src/demo/load.ts';
import { dependenciesOf, isCacheable } from '../../src/execution/cacheable.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadPublicSchema } from '../../src/graphql/schema.ts';
import { operatorScope } from '../../src/scope.ts';
import { startApp } from '../support/app.ts';
import { createKey, operatorFork } from '../support/data.ts';
import { demoStores } from '../support/demo.ts';
import { largestMenu, menuOfSize } from '../support/large-menu.ts';
import { createQueryGenerator } from '../support/random-queries.ts';

const app = await startApp();
await loadDemo(app.orm);
const schema = loadPublicSchema();

const everything = `query ($id: ID!, $languages: [String!]!) { store(id: $id) {
  __typename id menuRevision currency
  menus { ...M categories { id categoryName: name { text(languages: $languages) } items { ...I } } }
  categories { itemExternalIds menus { externalId } }
  items { categories { externalId } usedAsModifierItems { externalId modifierGroups { externalId usedByItems { externalId } } } }
  modifierItems { item { name { translations } } itemExternalId inStock }
  item(externalId: "bica") { ...I }
  absent: item(externalId: "no such") { id }
  menuDiagnostics { code severity path message externalId }
} }
fragment M on Menu { externalId name { translations } availability { dayOfWeek timePeriods { startTime endTime } } }
fragment I on MenuItem { id name { translations } price { amount currency decimal } tax { amount } allergensText dietaryLabels preparationMinutes alcoholByVolume preparationType
  ... on MenuItem { modifierGroups { type name { text } modifierItems { id priceChange { amount } taxChange { decimal } } } description { text } } }`;

test('a cached response equals the result of executing the query', async () => {
  const dependencies = { orm: app.orm, repositories: createRepositories(await createReadAccess(app.orm)) };
  for (const id of ['lisbon-baixa', 'tokyo-yanaka']) {
    const variables = { id, languages: ['pt', 'en'] };
    const executed = await graphql({
      schema,
      source: everything,
      variableValues: variables,
      contextValue: createContext(dependencies, operatorScope),
    });
    expect(executed.errors).toBeUndefined();
    for (const attempt of ['first', 'second']) {
      const cached = await app.graphql(everything, variables);
      expect(cached.text, attempt).toBe(`${JSON.stringify(executed)}\n`);
    }
  }
});

test('a cache hit runs two statements: for the key and for the revision of the store', async () => {
  const query = '{ store(id: "mexico-roma") { menus { name { text } } } }';
  await app.graphql(query);
  const { statements } = await app.statements.during(() => app.graphql(query));
  expect(statements).toHaveLength(2);
});

test('a query of a large menu, which takes many turns of the event loop, is rendered once and cached', async () => {
  const store = await app.data.store();
  await app.data.menu(store, menuOfSize({ ...largestMenu, categories: 20, items: 3_000, groups: 500 }));
  const query = `query ($id: ID!) { store(id: $id) { ${Array.from({ length: 8 }, (_, at) => `items${at}: items { externalId name { text } }`).join(' ')} } }`;
  const first = await app.graphql(query, { id: store.id });
  expect(first.body.data.store.items7).toHaveLength(3_000);
  const { result, statements } = await app.statements.during(() => app.graphql(query, { id: store.id }));
  expect(result.text).toBe(first.text);
  expect(statements).toHaveLength(2);
});

test.each([
  ['{ store(id: "a") { menus { name { text } } } }', ['menuRevision']],
  ['{ store(id: "a") { currency items { price { decimal } } } }', ['menuRevision', 'currency']],
  ['{ store(id: "a") { name { text } menus { store { address { city } } } } }', ['revision', 'menuRevision']],
  ['{ store(id: "a") { id specialHours { timePeriods { startTime } } } }', ['revision']],
  ['{ store(id: "a") { name { text } currency orders { totalCount } } }', ['ordersRevision']],
  ['{ store(id: "a") { orders { nodes { store { externalId } address { city } } } } }', ['ordersRevision']],
  ['{ store(id: "a") { orders { nodes { lines { item { id } } } } } }', ['ordersRevision', 'menuRevision']],
  ['{ store(id: "a") { phone orders { nodes { total { decimal } } } } }', ['revision', 'ordersRevision']],
  ['{ store(id: "a") { orders { pageInfo { endCursor } } } }', ['ordersRevision']],
  ['{ store(id: "a") { searchItems(search: "x") { nodes { id } pageInfo { endCursor } } } }', ['menuRevision']],
  ['{ store(id: "a") { menus(availableAt: "2026-01-01") { id } } }', undefined],
  ['{ store(id: "a") { ordering { state } } }', undefined],
  ['{ store(id: "a") { orders { nodes { steps { keyName } } } } }', undefined],
  ['{ store(id: "a") { merchant { id } } }', undefined],
  ['{ a: store(id: "a") { id } b: store(id: "b") { id } }', undefined],
  ['{ stores { nodes { menus { id } } } }', undefined],
  ['{ store(id: "a") { menus @skip(if: false) { id } } }', undefined],
  ['mutation { replaceMenuConfiguration(input: { storeId: "a", items: [] }) { store { id } } }', undefined],
])('the response to %s depends on %j', (query, names) => {
  const document = parse(query);
  expect(isCacheable(schema, document, undefined)).toBe(names !== undefined);
  if (names) expect(dependenciesOf(schema, document).toSorted()).toEqual(names.toSorted());
});

const changes: Readonly<Record<string, string>> = {
  city: 'update store set city = md5(random()::text) where id = ?',
  name: `update store set name = json_build_object('translations', json_build_object('en', md5(random()::text))) where id = ?`,
  currency: `update store set currency = case when currency = 'JPY' then 'KWD' else 'JPY' end where id = ?`,
  'special hours': `update store set special_hours = json_build_array(json_build_object('date', '2027-01-01', 'timePeriods', '[]'::json, 'name', md5(random()::text))) where id = ?`,
  stock: 'update menu_item set in_stock = not in_stock where store_id = ?',
  'an order': 'update orders set is_read = not is_read, price = price + 1 where store_id = ?',
  'a new order': `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
    select gen_random_uuid()::text, store_id, now(), 'PENDING', 'Eve', '5', 1, 0, '[]', now(), false, false from orders where store_id = ? limit 1`,
};

/** `RANDOM_QUERIES=10000` for a long run. */
const queries = Number(process.env.RANDOM_QUERIES ?? 20);

test(`${queries} random queries, sent again and again while something changes, are never older than the change`, {
  timeout: 60_000 + queries * 1_000,
}, async () => {
  const stores = demoStores();
  const generate = createQueryGenerator(
    schema,
    {
      seed: 20261118,
      storeIds: stores.map(({ id }) => id),
      merchantIds: [],
      orderIds: [],
      externalIds: stores.flatMap(({ menu }) => menu.items.slice(0, 3).map(({ externalId }) => externalId)),
    },
    { isCacheable: true },
  );
  const dependencies = { orm: app.orm, repositories: createRepositories(await createReadAccess(app.orm)) };
  const em = operatorFork(app.orm);
  const hits = app.server.responseCache.hits;
  let compared = 0;
  for (let index = 0; index < queries; index++) {
    const { text, variables } = generate();
    const storeId = Object.values(variables).find(value => stores.some(({ id }) => id === value));
    for (const [what, change] of [['nothing', ''], ...Object.entries(changes), ['nothing', '']]) {
      // Each change comes after some responses that may be kept, for every other query.
      if (change && storeId && (index + compared) % 2 === 0) await em.execute(change, [storeId]);
      const contextValue = createContext(dependencies, operatorScope);
      const executed = await graphql({ schema, source: text, variableValues: variables, contextValue });
      const { body } = await app.graphql(text, variables);
      // Beyond the limits, which graphql-js does not have.
      if (/^QUERY_TOO_|^RESPONSE_TOO_/.test(body.errors?.[0].extensions.code)) break;
      expect(body.data, `${text} after ${what}`).toEqual(JSON.parse(JSON.stringify(executed.data ?? null)));
      compared++;
    }
  }
  expect(app.server.responseCache.hits - hits).toBeGreaterThan(queries);
});

describe('a list of orders', () => {
  const query = `query ($id: ID!, $filter: OrderFilter) {
    store(id: $id) { orders(filter: $filter, first: 2) { totalCount nodes { id status store { name { text } } } } } }`;
  const send = (id: string, filter?: object, headers?: Record<string, string>) =>
    app.graphql(query, { id, ...(filter && { filter }) }, headers);
  const statementsOf = async (...args: Parameters<typeof send>) =>
    (await app.statements.during(() => send(...args))).statements.length;

  test('is kept from the second request on, until its orders or what they show of the store changes', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 3);
    // A document that is new is executed by Apollo.
    await send((await app.data.store()).id);
    const first = await send(store.id);
    expect((await send(store.id)).text).toBe(first.text);
    expect(await statementsOf(store.id)).toBe(2);
    expect((await send(store.id)).text).toBe(first.text);
    await app.data.orders(store, 1);
    expect((await send(store.id)).body.data.store.orders.totalCount).toBe(4);
    for (let time = 0; time < 3; time++) await send(store.id);
    expect(await statementsOf(store.id)).toBe(2);
    await operatorFork(app.orm).execute(`update store set name = '{"translations":{"en":"New"}}' where id = ?`, [
      store.id,
    ]);
    expect((await send(store.id)).body.data.store.orders.nodes[0].store.name.text).toBe('New');
  });

  test('that starts at another time with each request is not kept', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 1);
    const { bytes } = app.server.responseCache;
    for (let second = 0; second < 20; second++) {
      await send(store.id, { startTime: new Date(Date.now() - second * 1000).toISOString() });
    }
    expect(app.server.responseCache.bytes).toBe(bytes);
  });

  test('that changes between requests costs no statement more, and is not kept', async () => {
    const store = await app.data.store();
    await send(store.id);
    const statements = await statementsOf((await app.data.store()).id);
    const { bytes } = app.server.responseCache;
    for (let time = 0; time < 5; time++) {
      await app.data.orders(store, 1);
      expect(await statementsOf(store.id)).toBe(statements);
    }
    expect(app.server.responseCache.bytes).toBe(bytes);
  });

  test('of an unknown store is null, however often it is requested', async () => {
    for (let time = 0; time < 4; time++) expect((await send('no such store')).body).toEqual({ data: { store: null } });
  });

  test('with an error has that of executing it, however often it is requested', async () => {
    const store = await app.data.store();
    const tooMany = query.replace('first: 2', 'first: 1000');
    for (let time = 0; time < 4; time++) {
      const { body } = await app.graphql(tooMany, { id: store.id });
      expect(body.errors).toEqual([expect.objectContaining({ path: ['store', 'orders'] })]);
    }
  });

  test('of a key that reads its own orders only is never that of another', async () => {
    const store = await app.data.store();
    await app.data.orders(store, 2);
    for (let time = 0; time < 3; time++) expect((await send(store.id)).body.data.store.orders.totalCount).toBe(2);
    const key = await createKey(app.orm, { permissions: ['ORDERS', 'READ_MENUS', 'READ_OWN_ORDERS'] });
    for (let time = 0; time < 3; time++) {
      const { body } = await send(store.id, undefined, { 'x-api-key': key });
      expect(body.data.store.orders.totalCount).toBe(0);
    }
  });
});

describe('a query by GET', () => {
  const query =
    '{ store(id: "mexico-roma") { name { text } menus { id name { translations } } items { externalId price { amount } } } }';
  const get = (headers: Record<string, string> = {}, parameters = new URLSearchParams({ query })) =>
    app.get(`/graphql?${parameters}`, headers);

  test('has an ETag, and is 304 until something changes', async () => {
    const first = await get();
    const etag = first.headers.get('etag') ?? '';
    expect(first.status).toBe(200);
    expect(etag).toMatch(/^"[\d.]+-[0-9a-f]{16}\.gzip"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await get({ 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('vary')).toBe(first.headers.get('vary'));
    await operatorFork(app.orm).execute(`update store set city = 'Leon' where id = 'mexico-roma'`);
    const changed = await get({ 'if-none-match': etag });
    expect([changed.status, changed.text]).toEqual([200, first.text]);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('has another ETag for each encoding, media type, query and operation', async () => {
    const etagOf = async (headers: Record<string, string>, parameters?: URLSearchParams) =>
      (await get(headers, parameters)).headers.get('etag');
    const etags = await Promise.all([
      etagOf({ 'accept-encoding': 'identity' }),
      etagOf({ 'accept-encoding': 'gzip' }),
      etagOf({ 'accept-encoding': 'br' }),
      etagOf({ 'accept-encoding': 'identity', accept: 'application/graphql-response+json' }),
      etagOf({ 'accept-encoding': 'identity' }, new URLSearchParams({ query: query.replace('id ', '') })),
    ]);
    expect(new Set(etags).size).toBe(5);
    const compressed = await get({ 'accept-encoding': 'br', 'if-none-match': etags[2] ?? '' });
    expect(compressed.status).toBe(304);
  });

  test('that depends on more has none', async () => {
    const parameters = new URLSearchParams({ query: '{ store(id: "mexico-roma") { ordering { state } } }' });
    expect((await get({}, parameters)).headers.get('etag')).toBeNull();
  });
});

test('a query that is named by its hash is cached', async () => {
  const query = '{ store(id: "tokyo-yanaka") { items { name { text } } } }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
  const send = (body: object) => app.post('/graphql', { extensions, ...body });
  const first = await send({ query });
  const { result, statements } = await app.statements.during(() => send({}));
  expect(result.text).toBe(first.text);
  expect(statements).toHaveLength(2);
});

test('errors of a cacheable query are those of executing it', async () => {
  const query = 'query ($id: ID!) { store(id: $id) { menus { id } } }';
  const { body } = await app.graphql(query, { id: { no: 'id' } });
  expect(body.errors[0].message).toContain('ID cannot represent');
  expect((await app.graphql(query, { id: 'no such' })).body).toEqual({ data: { store: null } });
  expect((await app.graphql(query, { id: 'lisbon-baixa' }, { 'x-api-key': '' })).status).toBe(401);
});

test('languages that the menu does not have make no other entries', async () => {
  const query =
    'query ($languages: [String!]!) { store(id: "lisbon-baixa") { items { name { text(languages: $languages) } } } }';
  const read = async (languages: readonly string[]) => (await app.graphql(query, { languages })).text;
  const pt = await read(['pt']);
  // The first rendering tells the languages of the menu.
  await read(['pt']);
  const { misses, bytes } = app.server.responseCache;
  for (let number = 0; number < 50; number++) expect(await read([`x${number}`, 'pt', `Y${number}-zz`])).toBe(pt);
  const spelt = [await read(['PT-br']), await read(['pt_BR', 'xx']), await read(['Pt-BR', 'zz'])];
  expect(new Set(spelt).size).toBe(1);
  expect(app.server.responseCache.misses - misses).toBe(1);
  expect(app.server.responseCache.bytes).toBeLessThan(2.2 * bytes);
  expect(await read(['en'])).not.toBe(pt);
});
