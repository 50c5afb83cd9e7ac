import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { isForGuests } from '../../src/graphql/authorization.ts';
import { loadPublicSchema } from '../../src/graphql/schema.ts';
import { startApp, type TestResponse } from '../support/app.ts';
import { demoStores } from '../support/demo.ts';
import { createQueryGenerator } from '../support/random-queries.ts';

const app = await startApp({ publishableRateLimit: 0 });
await loadDemo(app.orm, new Date('2026-03-14T19:20:00Z'));
const schema = loadPublicSchema();
const stores = demoStores();
const publishableKey = await app.newKey({ publishable: true, permissions: [], origins: ['https://menu.example'] });

/** `RANDOM_QUERIES=3000` for a long run. */
const queries = Number(process.env.RANDOM_QUERIES ?? 40);
const timeout = 60_000 + queries * 200;

const orders = await app.orm.em.fork().execute<{ id: string }[]>('select id from orders order by id');
const sources = {
  seed: 20261119,
  storeIds: stores.map(({ id }) => id),
  merchantIds: [...new Set(stores.map(({ merchant }) => merchant.id))],
  orderIds: orders.map(({ id }) => id),
  externalIds: stores.flatMap(({ menu }) => menu.items.slice(0, 3).map(({ externalId }) => externalId)),
};

interface GraphqlRequest {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string | null;
}

const byPost = (request: GraphqlRequest) => app.post('/graphql', request);

const toSearch = ({ query, variables = {}, operationName }: GraphqlRequest, key?: string) =>
  new URLSearchParams({
    ...(key !== undefined && { key }),
    query,
    variables: JSON.stringify(variables),
    ...(operationName != null && { operationName }),
  });

const byGet = (request: GraphqlRequest) => app.get(`/graphql?${toSearch(request)}`);

const byKeyInUrl = (request: GraphqlRequest) =>
  app.send('GET', `/graphql?${toSearch(request, publishableKey)}`, { headers: { 'x-api-key': '' } });

const compared = ['cache-control', 'cache-tag', 'content-encoding', 'content-type', 'etag', 'retry-after', 'vary'];

/**
 * What differs each time: the cursor of the end of a page of events, the id of a request, and the order of errors. Where an error has made all data null,
 * graphql-js reports of the others those that come before the response.
 */
function comparableText({ text, body }: TestResponse): string {
  const errors: object[] = body?.errors ?? [];
  if (errors.length > 0 && body.data === null) return 'errors without data';
  const sorted = errors.map(error => JSON.stringify(error)).toSorted();
  const comparable = errors.length > 1 ? JSON.stringify({ ...body, errors: sorted }) : text;
  return comparable.replaceAll(/"[\w-]{22}"/g, '"…"').replaceAll(/"requestId":"[^"]*"/g, '"requestId":"…"');
}

const seen = (response: TestResponse) => ({
  status: response.status,
  headers: Object.fromEntries(compared.map(name => [name, response.headers.get(name)])),
  text: comparableText(response),
});

async function expectSameResponses(send: () => Promise<TestResponse>, name: string) {
  const first = await send();
  for (const time of ['second', 'third', 'fourth']) {
    expect(seen(await send()), `${time} time: ${name}`).toEqual(seen(first));
  }
  return first;
}

// Whatever is sent once more is not new.
const once = { retry: 0 };

test(`${queries} random queries have the same response each time, by POST and GET, and by GET with a key in the URL`, {
  ...once,
  timeout,
}, async () => {
  const create = (seed: number, options: Parameters<typeof createQueryGenerator>[2]) =>
    createQueryGenerator(schema, { ...sources, seed }, options);
  const senders = [
    { send: byPost, generate: create(1, { isMixed: true }) },
    { send: byGet, generate: create(2, { isMixed: true }) },
    { send: byKeyInUrl, generate: create(3, { isMixed: true, isSelectable: isForGuests }) },
    { send: byKeyInUrl, generate: create(4, { isMixed: true, isCacheable: true, isSelectable: isForGuests }) },
  ];
  const counts = { data: 0, errors: 0, etags: 0, public: 0 };
  for (let index = 0; index < queries; index++) {
    const { send, generate } = senders[index % senders.length] as (typeof senders)[number];
    const { text: query, ...given } = generate();
    // An empty name is that of no operation.
    const operationName = index % 29 === 28 ? '' : given.operationName;
    const request = { query, ...given, operationName };
    const { body, headers } = await expectSameResponses(() => send(request), JSON.stringify(request));
    if (body.data) counts.data++;
    if (body.errors) counts.errors++;
    if (headers.has('etag')) counts.etags++;
    if (headers.get('cache-control')?.startsWith('public')) counts.public++;
  }
  // The generators reach what they are for.
  expect(counts.data).toBeGreaterThan(queries * 0.8);
  expect(counts.errors).toBeGreaterThan(queries * 0.05);
  expect(counts.etags).toBeGreaterThan(queries * 0.1);
  expect(counts.public).toBeGreaterThan(queries * 0.1);
});

const twoOperations =
  'query A { stores(first: 1) { nodes { id } } } query B($s: Boolean!) { stores(first: 1) { nodes { id @skip(if: $s) } } }';
const skipsByDefault = 'query($s: Boolean = false) { stores(first: 1) { nodes { id @skip(if: $s) } } }';
const menuTexts = 'query($s: ID!, $l: [String!]) { store(id: $s) { menus { name { text(languages: $l) } } } }';
const available = 'query($s: ID!) { store(id: $s) { menus(availableAt: "2026-03-14T19:20:00Z") { externalId } } }';
const s = 'lisbon-baixa';

describe('The same response each time has', () => {
  test.each<[string, GraphqlRequest]>([
    ['a document whose other operation skips by a variable', { query: twoOperations, operationName: 'A' }],
    ['that other operation', { query: twoOperations, operationName: 'B', variables: { s: true } }],
    ['a condition by default', { query: skipsByDefault }],
    ['a condition that is null', { query: skipsByDefault, variables: { s: null } }],
    [
      'a fragment without a type',
      { query: `query($s: Boolean!) { ... @include(if: $s) { stores { totalCount } } }`, variables: { s: false } },
    ],
    ['a store alone', { query: '{ store(id: "lisbon-baixa") { address { city } } }' }],
    ['a store with its orders', { query: '{ store(id: "lisbon-baixa") { orders { totalCount } } }' }],
    ['a menu at a time', { query: available, variables: { s } }],
    ['texts without languages', { query: menuTexts, variables: { s } }],
    ['texts in languages that are null', { query: menuTexts, variables: { s, l: null } }],
    ['texts in one language, which is no list', { query: menuTexts, variables: { s, l: 'pt' } }],
    ['texts in languages that the menu does not have', { query: menuTexts, variables: { s, l: ['xx', 'pt'] } }],
  ])('%s', once, async (_name, request) => {
    const ofGet = await expectSameResponses(() => byGet(request), 'by GET');
    expect(ofGet.status).toBe(200);
    // Another text, which is new as well.
    const other = { ...request, query: `${request.query} ` };
    expect((await expectSameResponses(() => byPost(other), 'by POST')).text).toBe(ofGet.text);
  });

  test.each([
    ['a store alone', '{ store(id: "mexico-roma") { address { city } } }', {}],
    ['a menu at a time', available, { s: 'tokyo-yanaka' }],
    ['texts without languages', menuTexts, { s: 'tokyo-yanaka' }],
    ['texts in one language, which is no list', menuTexts, { s: 'brooklyn-dumbo', l: 'en' }],
    ['texts in languages that the menu does not have', menuTexts, { s: 'mexico-roma', l: ['xx', 'es'] }],
  ])('%s, which caches may store', once, async (_name, query, variables) => {
    const { headers } = await expectSameResponses(() => byKeyInUrl({ query, variables }), 'by GET');
    expect(headers.get('cache-control')).toMatch(/^public, /);
    expect(headers.get('etag')).not.toBeNull();
  });

  test.each([
    ['a list', '{ stores(first: 2) { nodes { id } } }'],
    ['a menu', '{ store(id: "lisbon-baixa") { menus { id } } }'],
    ['orders', '{ store(id: "lisbon-baixa") { orders { totalCount } } }'],
  ])('a client that does not accept JSON: %s', once, async (_name, query) => {
    const accept = 'text/plain';
    const send = () => app.post('/graphql', { query: `query T ${query}` }, { accept });
    expect((await expectSameResponses(send, query)).status).toBe(406);
    // What caches may store does not vary by it.
    const path = `/graphql?${toSearch({ query: `query U ${query}` }, publishableKey)}`;
    const sendAsGuest = () => app.get(path, { 'x-api-key': '', accept });
    expect((await expectSameResponses(sendAsGuest, query)).status).toBe(200);
  });
});

test('a variable that is null where none is allowed is an error of the caller, at the place in the document', async () => {
  const { body } = await byPost({ query: menuTexts, variables: { s, l: null } });
  expect(body.errors[0]).toMatchObject({
    message: 'languages: Argument "languages" of non-null type "[String!]!" must not be null.',
    path: ['store', 'menus', 0, 'name', 'text'],
    extensions: { code: 'BAD_USER_INPUT', errors: [{ path: ['languages'] }] },
  });
  const inList = menuTexts.replace('[String!]', 'String = "en"').replace('$l)', '[$l])');
  const { body: ofList } = await byPost({ query: inList, variables: { s, l: null } });
  expect(ofList.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['languages'] }] });
  const skipped = await byPost({
    query: 'query($s: Boolean = false) { stores @skip(if: $s) { totalCount } }',
    variables: { s: null },
  });
  expect(skipped.body).toMatchObject({ data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
});

describe('A request is not taken for another one that was sent before it', () => {
  test('where a number beyond all is not null', async () => {
    const send = (first: string) =>
      app.post(
        '/graphql',
        `{"query":${JSON.stringify('query($f: Int) { store(id: "lisbon-baixa") { id orders(first: $f) { totalCount } } }')},"variables":{"f":${first}}}`,
      );
    for (const time of ['first', 'second', 'third']) expect((await send('null')).body.errors, time).toBeUndefined();
    for (const number of ['1e400', '-1e400'])
      expect((await send(number)).body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test.each([
    ['no such operation', { operationName: 'X' }],
    ['an empty name', { operationName: '' }],
    ['a name that is no text', { operationName: 5 }],
    ['extensions that are no object', { extensions: 'x' }],
    ['variables that are no object', { variables: '{}' }],
  ])('with %s', async (_name, wrong) => {
    for (const [query, key] of [
      ['{ __typename }', ''],
      ['{ stores(first: 1) { nodes { id } } }', app.key],
      ['{ store(id: "lisbon-baixa") { menus { id } } }', app.key],
      ['{ store(id: "lisbon-baixa") { orders { totalCount } } }', app.key],
    ] as const) {
      const send = (given: object) => app.post('/graphql', { query, ...given }, { 'x-api-key': key });
      const statuses = [];
      for (const given of [wrong, {}, {}, wrong]) statuses.push((await send(given)).status);
      expect(statuses, query).toEqual([400, 200, 200, 400]);
    }
  });
});
