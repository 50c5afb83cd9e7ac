import { graphql, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { loadDemo } from '../../src/demo/load.ts';
import { isCacheable } from '../../src/execution/cacheable.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { operatorScope } from '../../src/scope.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { largestMenu, menuOfSize } from '../support/large-menu.ts';

const app = await startApp();
await loadDemo(app.orm);
const schema = loadSchema();

const everything = `query ($id: ID!, $languages: [String!]!) { store(id: $id) {
  __typename id menuRevision currency
  menus { ...M categories { id categoryName: name { text(languages: $languages) } items { ...I } } }
  categories { itemExternalIds menus { externalId } }
  items { categories { externalId } modifierItems { externalId modifierGroups { externalId items { externalId } } } }
  modifierItems { item { name { translations } } itemExternalId inStock }
  item(externalId: "bica") { ...I }
  absent: item(externalId: "no such") { id }
  menuDiagnostics { code severity place path message externalId }
} }
fragment M on Menu { externalId name { translations } availability { dayOfWeek timePeriods { startTime endTime } } }
fragment I on MenuItem { id name { translations } price tax priceMoney { amount currency decimal } dietaryLabels prepTime alcoholByVolume prepType
  ... on MenuItem { modifierGroups { type name { text } modifierItems { id priceChange taxChangeMoney { decimal } } } description { text } } }`;

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
  ['{ store(id: "a") { menus { name { text } } } }', true],
  ['{ store(id: "a") { currency items { priceMoney { decimal } } } }', true],
  ['{ store(id: "a") { menus(availableAt: "2026-01-01") { id } } }', false],
  ['{ store(id: "a") { name { text } menus { id } } }', false],
  ['{ store(id: "a") { menus { store { id } } } }', false],
  ['{ store(id: "a") { orders { totalCount } menus { id } } }', false],
  ['{ store(id: "a") { merchant { id } } }', false],
  ['{ a: store(id: "a") { id } b: store(id: "b") { id } }', false],
  ['{ stores { nodes { menus { id } } } }', false],
  ['{ store(id: "a") { menus @skip(if: false) { id } } }', false],
  ['mutation { replaceMenuConfiguration(input: { storeId: "a", items: [] }) { store { id } } }', false],
])('isCacheable(%s) is %s', (query, expected) => {
  expect(isCacheable(schema, parse(query), undefined)).toBe(expected);
});

test('a response with other fields of the store is not cached', async () => {
  const query = '{ store(id: "mexico-roma") { city menus { id } } }';
  await app.graphql(query);
  await operatorFork(app.orm).execute("update store set city = 'Puebla' where id = 'mexico-roma'");
  expect((await app.graphql(query)).body.data.store.city).toBe('Puebla');
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
