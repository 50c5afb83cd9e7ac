import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const circle = 'modifierGroups { items { '.repeat(4);

describe('/graphql', () => {
  test.each([
    ['the trees of a thousand stores', `{ stores(limit: 1000) { ${tree} } }`],
    ['a walk in circles through one store', `{ store(id: "s") { items { ${circle} id ${'} } '.repeat(4)} } } }`],
  ])('refuses %s, whatever there is', async (_what, text) => {
    const { body } = await app.graphql(text);
    expect(codesOf(body)).toEqual(['QUERY_TOO_COMPLEX']);
    expect(body.data).toBeUndefined();
  });

  test('refuses with 200 under application/json, and with 400 under the media type of GraphQL', async () => {
    const text = `{ stores(limit: 1000) { ${tree} } }`;
    expect((await app.graphql(text)).status).toBe(200);
    const { status, headers } = await app.graphql(text, {}, { accept: 'application/graphql-response+json' });
    expect([status, headers.get('content-type')]).toEqual([400, 'application/graphql-response+json; charset=utf-8']);
  });

  test('refuses by GET too', async () => {
    const query = encodeURIComponent('query ($n: Int!) { stores(limit: $n) { menus { id } } }');
    const { body } = await app.get(`/graphql?query=${query}&variables=${encodeURIComponent('{"n":1000}')}`);
    expect(codesOf(body)).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('a persisted query is measured with the variables of each request', async () => {
    const query = 'query ($n: Int!) { stores(limit: $n) { menus { id } } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
    const ask = async (body: object) => codesOf((await app.post('/graphql', body)).body);
    expect(await ask({ query, variables: { n: 1 }, extensions })).toEqual([]);
    expect(await ask({ variables: { n: 1 }, extensions })).toEqual([]);
    expect(await ask({ variables: { n: 1000 }, extensions })).toEqual(['QUERY_TOO_COMPLEX']);
    expect(await ask({ query, variables: { n: 1000 }, extensions })).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('says the cost to those who ask', async () => {
    const store = await app.data.store();
    const text = `{ store(id: "${store.id}") { menuRevision menus { id } } }`;
    expect((await app.graphql(text)).body.extensions).toBeUndefined();
    expect((await app.graphql(text, {}, { 'x-carte-cost': '1' })).body.extensions).toEqual({ cost: 1 + 1000 + 3 });
  });
});

test('An answer that grows beyond the limit ends with one error and no data', async () => {
  const narrow = await startApp({ graphqlLimits: { depth: 15, cost: 1_000_000, aliases: 100, objects: 1000 } });
  const store = await narrow.data.store();
  const { items, ...menu } = smallMenu();
  const many = Array.from({ length: 40 }, (_, at) => ({ ...items[0], externalId: at === 0 ? 'item' : `item${at}` }));
  await narrow.data.menu(store, { ...menu, items: many as typeof items });
  const { body } = await narrow.graphql(
    `{ store(id: "${store.id}") { ordersRevision items { modifierGroups { items { id } } } } }`,
  );
  expect(codesOf(body)).toEqual(['ANSWER_TOO_LARGE']);
  expect(body.data?.store ?? null).toBeNull();
});

describe('With trusted documents', async () => {
  const text = 'query Stores($n: Int!) { stores(limit: $n) { id } }';
  const file = join(folder, 'documents.json');
  writeFileSync(file, JSON.stringify({ [hash('sha256', text)]: text }));
  const trusting = await startApp({ trustedDocuments: file });
  const ask = async (body: object) => (await trusting.post('/graphql', body)).body;

  test('those are executed', async () => {
    expect(await ask({ documentId: hash('sha256', text), variables: { n: 1 } })).toEqual({ data: { stores: [] } });
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', text) } };
    expect(await ask({ extensions, variables: { n: 1 } })).toEqual({ data: { stores: [] } });
  });

  test.each([
    ['a text', { query: '{ stores { id } }' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    ['a text about one store', { query: '{ store(id: "s") { menus { id } } }' }, 'PERSISTED_QUERY_ID_REQUIRED'],
    [
      'a text that is not in the file, by its hash',
      {
        query: '{ stores { id } }',
        extensions: { persistedQuery: { version: 1, sha256Hash: hash('sha256', '{ stores { id } }') } },
      },
      'PERSISTED_QUERY_NOT_IN_LIST',
    ],
    ['the schema', { query: '{ __schema { types { name } } }' }, 'PERSISTED_QUERY_ID_REQUIRED'],
  ])('%s is not', async (_what, body, code) => {
    expect(codesOf(await ask(body))).toEqual([code]);
  });
});
