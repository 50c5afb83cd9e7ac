import { hash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await startApp();
const folder = mkdtempSync(join(tmpdir(), 'carte-limits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tree = 'menus { categories { items { modifierGroups { modifierItems { id } } } } }';
const codesOf = (body: { errors?: { extensions: { code: string } }[] }) =>
  (body.errors ?? []).map(error => error.extensions.code);
const cycle = 'modifierGroups { usedByItems { '.repeat(4);

describe('/graphql', () => {
  test.each([
    ['the trees of a thousand stores', `{ stores(first: 1000) { nodes { ${tree} } } }`],
    ['a cyclic path through one store', `{ store(id: "s") { items { ${cycle} id ${'} } '.repeat(4)} } } }`],
  ])('rejects %s, whatever data there is', async (_what, text) => {
    const { body } = await app.graphql(text);
    expect(codesOf(body)).toEqual(['QUERY_TOO_COMPLEX']);
    expect(body.data).toBeUndefined();
  });

  test('rejects with 200 for application/json, and with 400 for application/graphql-response+json', async () => {
    const text = `{ stores(first: 1000) { nodes { ${tree} } } }`;
    expect((await app.graphql(text)).status).toBe(200);
    const { status, headers } = await app.graphql(text, {}, { accept: 'application/graphql-response+json' });
    expect([status, headers.get('content-type')]).toEqual([400, 'application/graphql-response+json; charset=utf-8']);
  });

  test('rejects a GET, too', async () => {
    const query = encodeURIComponent('query ($n: Int!) { stores(first: $n) { nodes { menus { id } } } }');
    const { body } = await app.get(`/graphql?query=${query}&variables=${encodeURIComponent('{"n":1000}')}`);
    expect(codesOf(body)).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('checks a persisted query with the variables of each request', async () => {
    const query = 'query ($n: Int!) { stores(first: $n) { nodes { menus { id } } } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
    const send = async (body: object) => codesOf((await app.post('/graphql', body)).body);
    expect(await send({ query, variables: { n: 1 }, extensions })).toEqual([]);
    expect(await send({ variables: { n: 1 }, extensions })).toEqual([]);
    expect(await send({ variables: { n: 1000 }, extensions })).toEqual(['QUERY_TOO_COMPLEX']);
    expect(await send({ query, variables: { n: 1000 }, extensions })).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('reports the cost on request, in extensions', async () => {
    const store = await app.data.store();
    const text = `{ store(id: "${store.id}") { menuRevision menus { id } } }`;
    expect((await app.graphql(text)).body.extensions).toBeUndefined();
    expect((await app.graphql(text, {}, { 'x-carte-cost': '1' })).body.extensions).toEqual({ cost: 1 + 1000 + 3 });
  });

  test('reports the cost on request, in a header that leaves the body as it is', async () => {
    const store = await app.data.store();
    const cached = `{ store(id: "${store.id}") { menuRevision menus { id } } }`;
    const tooCostly = '{ stores(first: 1000) { nodes { menus { categories { items { id } } } } } }';
    const withHeader = async (text: string) => {
      const { headers, body } = await app.graphql(text, {}, { 'x-carte-cost': 'header' });
      return { cost: Number(headers.get('x-carte-cost')), body };
    };
    expect(await withHeader(cached)).toEqual({ cost: 1 + 1000 + 3, body: (await app.graphql(cached)).body });
    expect(await withHeader('{ stores(first: 7) { nodes { id } } }')).toMatchObject({ cost: 8, body: { data: {} } });
    expect((await withHeader(tooCostly)).cost).toBeGreaterThan(1_000_000);
    expect((await app.graphql(cached)).headers.has('x-carte-cost')).toBe(false);
  });
});

test('A response over the limit of objects has one error and no data', async () => {
  const limited = await startApp({
    graphqlLimits: { depth: 15, cost: 1_000_000, streamCost: 2_000, aliases: 100, objects: 1000 },
  });
  const store = await limited.data.store();
  const { items, ...menu } = smallMenu();
  const many = Array.from({ length: 40 }, (_, at) => ({ ...items[0], externalId: at === 0 ? 'item' : `item${at}` }));
  await limited.data.menu(store, { ...menu, items: many as typeof items });
  const { body } = await limited.graphql(
    `{ store(id: "${store.id}") { ordersRevision items { modifierGroups { usedByItems { id } } } } }`,
  );
  expect(codesOf(body)).toEqual(['RESPONSE_TOO_LARGE']);
  expect(body.data?.store ?? null).toBeNull();
});

describe('With trusted documents', async () => {
  const text = 'query Stores($n: Int!) { stores(first: $n) { nodes { id } } }';
  const file = join(folder, 'documents.json');
  const example = new URL('../support/trusted-documents/client-preset-sha256.json', import.meta.url);
  const generated: object = JSON.parse(readFileSync(example, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...generated, [hash('sha256', text)]: text }));
  const trusting = await startApp({ trustedDocuments: file });
  const send = async (body: object) => (await trusting.post('/graphql', body)).body;

  test('documents of the manifest are executed', async () => {
    expect(await send({ documentId: hash('sha256', text), variables: { n: 1 } })).toEqual({
      data: { stores: { nodes: [] } },
    });
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', text) } };
    expect(await send({ extensions, variables: { n: 1 } })).toEqual({ data: { stores: { nodes: [] } } });
  });

  test("documents of a code generator's file are executed by the ids that its clients send", async () => {
    const store = await trusting.data.store();
    const ids = Object.keys(generated);
    expect(ids).toHaveLength(2);
    for (const documentId of [...ids, ...ids.map(id => id.replace('sha256:', ''))]) {
      const { errors, data } = await send({ documentId, variables: { store: store.id } });
      expect(errors).toBeUndefined();
      expect(data.store ?? data.stores.nodes[0]).toMatchObject({ id: store.id });
    }
  });

  test('operations are executed by their names, and our own pages work', async () => {
    const merchant = await trusting.data.merchant({ brandName: 'Casa Azul' });
    const variables = { merchant_service_id: merchant.id };
    expect(await send({ documentId: 'getMerchant', variables })).toMatchObject({
      data: { merchant: { id: merchant.id, brand_name: 'Casa Azul' } },
    });
    const { Stores } = (await trusting.get('/web/menu/menu.graphql')).body;
    expect(await send({ query: Stores, operationName: 'Stores' })).toHaveProperty('data.stores');
    const files = globSync('{menu,console}/**/*.graphql', { cwd: new URL('../../web/', import.meta.url) });
    const texts = await Promise.all(files.map(async file => Object.values((await trusting.get(`/web/${file}`)).body)));
    expect(texts.flat().length).toBeGreaterThan(30);
    for (const query of texts.flat()) {
      expect(codesOf(await send({ query }))).not.toContain('PERSISTED_QUERY_ID_REQUIRED');
    }
  });

  test.each([
    ['a name that is no operation', { documentId: 'getStores' }, 'PERSISTED_QUERY_NOT_IN_LIST'],
    ['an operation that selects what is internal', { documentId: 'getStore' }, 'PERSISTED_QUERY_NOT_IN_LIST'],
    ['a query', { query: '{ stores { nodes { id } } }' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['a cacheable query', { query: '{ store(id: "s") { menus { id } } }' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    [
      'the hash of an unlisted query',
      {
        query: '{ stores { nodes { id } } }',
        extensions: { persistedQuery: { version: 1, sha256Hash: hash('sha256', '{ stores { nodes { id } } }') } },
      },
      'PERSISTED_QUERY_NOT_IN_LIST',
    ],
    ['introspection', { query: '{ __schema { types { name } } }' }, 'PERSISTED_QUERY_ID_REQUIRED'],
  ])('%s is rejected', async (_what, body, code) => {
    expect(codesOf(await send(body))).toEqual([code]);
  });
});

describe('Pages of orders of many stores', async () => {
  const limited = await startApp({
    graphqlLimits: { depth: 15, cost: 1_000_000, streamCost: 2_000, aliases: 100, objects: 20 },
  });
  const merchant = await limited.data.merchant();
  const stores = await Promise.all(Array.from({ length: 3 }, () => limited.data.store({ merchant: merchant.id })));
  for (const store of stores) await limited.data.orders(store, 6);
  const ordersOf = (args: string) =>
    limited.statements.during(() => limited.graphql(`{ stores { nodes { orders(${args}) { nodes { id } } } } }`));
  const readsOrders = (statements: readonly string[]) => statements.some(text => text.includes('customer_name'));

  test('are refused before they are read if they have more objects than a response may have', async () => {
    const one = await limited.data.store({ merchant: merchant.id });
    await limited.data.orders(one, 3);
    const { result, statements } = await ordersOf('first: 500');
    expect(codesOf(result.body)).toEqual(['RESPONSE_TOO_LARGE']);
    expect(result.body.data).toBeNull();
    expect(result.body.errors[0].message).toBe(
      'The pages of orders of 4 stores have up to 21 orders; a response has at most 20 objects in lists. Request fewer at once.',
    );
    expect(readsOrders(statements)).toBe(false);
  });

  test('are read if the counters tell that there are few', async () => {
    const { result, statements } = await ordersOf('first: 500, filter: { statuses: [READY] }');
    expect(result.body.errors).toBeUndefined();
    expect(readsOrders(statements)).toBe(true);
  });

  test('are taken for full where the matches are not counted', async () => {
    const { result } = await ordersOf('first: 10, filter: { customerName: "Nobody" }');
    expect(codesOf(result.body)).toEqual(['RESPONSE_TOO_LARGE']);
  });
});
