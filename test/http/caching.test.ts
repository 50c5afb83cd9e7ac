import { describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';
import { exampleSet, writeSet } from '../support/operations.ts';

const levels = writeSet('levels', {
  'levels.graphql': `query getLevel($store_id: ID!, $level: Int @header(name: "X-Level") @range(min: 1, max: 9))
@route(path: "/levels/{store_id}") {
  store(id: $store_id) { id orders(first: $level) { totalCount } }
}`,
});
const settings: Partial<Config> = {
  operations: [exampleSet, levels],
  mcp: { enabled: true, resultBytes: 4096 },
  bodyLimit: 64 * 1024,
};
const app = await startApp(settings);
const origin = 'https://menu.example';
const store = await app.data.store({ id: 'baixa' });
const menuPath = '/v1/stores/baixa/menu_configuration/';
expect((await app.post(menuPath, fullBody())).status).toBe(200);
const [order] = await app.data.orders(store, 1);

const keys = {
  secret: app.key,
  'of a store': await app.newKey({ storeIds: ['baixa'] }),
  publishable: await app.newKey({ publishable: true, permissions: [], origins: [origin], storeIds: ['baixa'] }),
  unknown: 'carte_unknown',
  absent: '',
};

type Sent = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** Sends a request, and if its response has an ETag, once more with it. Does not read bodies, which may be streams. */
async function responsesTo(path: string, sent: Sent, key: string, { url } = app): Promise<Response[]> {
  const abort = new AbortController();
  const send = (headers: Record<string, string>) => {
    const all = { ...sent.headers, ...headers, ...(key !== '' && { 'x-api-key': key }) };
    return fetch(new URL(path, url), { ...sent, redirect: 'manual', signal: abort.signal, headers: all });
  };
  const first = await send({});
  const etag = first.headers.get('etag');
  const isRead = etag !== null && (sent.method ?? 'GET') === 'GET';
  const responses = isRead ? [first, await send({ 'if-none-match': etag })] : [first];
  // The end of a page of events differs each time, so that it tells nothing.
  if (isRead) expect(responses[1]?.status, path).toBe(path.endsWith('/events') ? 200 : 304);
  abort.abort();
  return responses;
}

const varyOf = ({ headers }: Response) => (headers.get('vary') ?? '').toLowerCase().split(', ').sort();

/** The rule for what depends on a key; `vary` is what else it depends on, beside the key and the origin. */
function expectPrivate(responses: readonly Response[], vary: readonly string[], name: string): void {
  for (const response of responses) {
    const { headers } = response;
    const expected = headers.has('etag') ? 'private, no-cache' : 'no-store';
    expect([headers.get('cache-control'), headers.get('x-content-type-options')], name).toEqual([expected, 'nosniff']);
    expect(varyOf(response), name).toEqual(['origin', 'x-api-key', ...vary].sort());
  }
}

const json = { 'content-type': 'application/json' };
const post = (body: unknown, headers = {}): Sent => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const get = (parameters: Record<string, string>): [path: string, sent: Sent] => [
  `/graphql?${new URLSearchParams(parameters)}`,
  { headers: { 'apollo-require-preflight': '1' } },
];
const tree = '{ store(id: "baixa") { menuRevision menus { externalId } } }';
const subscription = 'subscription { menuEvents(storeId: "baixa") { menuRevision } }';
const persisted = '{"persistedQuery":{"version":1,"sha256Hash":"0"}}';
const ofEvents = { accept: 'text/event-stream' };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getStore', arguments: {} } };
const ofMcp = { accept: 'application/json, text/event-stream' };
const graphql = ['accept', 'accept-encoding', 'x-carte-cost'];
const mcp = ['accept', 'authorization'];

const requests: readonly (readonly [name: string, path: string, sent: Sent, vary: readonly string[]])[] = [
  ['a query', '/graphql', post({ query: '{ stores { nodes { id } } }' }), graphql],
  ['a query by GET', ...get({ query: tree }), graphql],
  ['a document by name', '/graphql', post({ documentId: 'listStores' }), graphql],
  ['an unknown document by hash', ...get({ extensions: persisted }), graphql],
  ['introspection', '/graphql', post({ query: '{ __typename }' }), graphql],
  ['a mutation', '/graphql', post({ query: 'mutation { markOrders(input: {}) { __typename } }' }), graphql],
  ['a document with errors', '/graphql', post({ query: '{ no }' }), graphql],
  ['no document', '/graphql', post({}), graphql],
  ['no JSON', '/graphql', post('{'), graphql],
  ['a large document', '/graphql', post({ query: ' '.repeat(70_000) }), graphql],
  ['a stream', '/graphql', post({ query: subscription }, ofEvents), graphql],
  ['a stream of errors', '/graphql', post({ query: 'subscription { no }' }, ofEvents), graphql],
  ['a stream that JSON cannot be', '/graphql', post({ query: subscription }), graphql],
  ['a tool', '/mcp', post(call, ofMcp), mcp],
  ['a batch of tools', '/mcp', post([call], ofMcp), mcp],
  ['a preview', '/openapi/preview', post({ query: 'query a { stores { nodes { id } } }' }), []],
  ['a preview of nothing', '/openapi/preview', post({}), []],
  ['a filter that is none', '/v1/stores/?skip=x', {}, []],
  ['a body that is none', menuPath, post({ items: 1 }), []],
  ['a large body', menuPath, post({ items: ' '.repeat(70_000) }), []],
  ['a body of another type', menuPath, post('', { 'content-type': 'text/x' }), []],
  ['a lost update', menuPath, post(fullBody(), { 'if-match': '"1.x"' }), []],
  ['an update', menuPath, post(fullBody()), []],
];

describe('A response that depends on the key is for no shared cache, and Vary names what it depends on', () => {
  test.each(requests)('%s: %s', async (name, path, sent, vary) => {
    for (const [kind, key] of Object.entries(keys)) {
      expectPrivate(await responsesTo(path, sent, key), vary, `${name}, key ${kind}`);
    }
  });

  test('a cached query, whose coding is negotiated', async () => {
    for (const key of [keys.secret, keys['of a store'], keys.publishable]) {
      // The second time from the cache.
      for (let time = 0; time < 2; time++) {
        expectPrivate(await responsesTo('/graphql', post({ query: tree }), key), graphql, 'cached');
      }
    }
  });

  test('every route of every set', async () => {
    const statuses = new Set<number>();
    for (const set of ['v1', 'pos', 'operations', 'levels']) {
      const { body } = await app.get(`/openapi/${set}.json`);
      for (const [template, operations] of Object.entries<object>(body.paths)) {
        const paths = ['baixa', 'none'].map(id =>
          template.replace(/\{order\w*\}/, id === 'none' ? id : (order?.id ?? '')).replace(/\{\w+\}/g, id),
        );
        for (const path of paths) {
          for (const method of Object.keys(operations)) {
            const sent = method === 'get' ? {} : { method: method.toUpperCase(), body: '{}', headers: json };
            for (const [kind, key] of Object.entries(keys)) {
              const responses = await responsesTo(path, sent, key);
              const isEncoded = method === 'get' && responses[0]?.status === 200;
              const vary = [...(isEncoded ? ['accept-encoding'] : []), ...(set === 'levels' ? ['x-level'] : [])];
              expectPrivate(responses, vary, `${method} ${path}, key ${kind}: ${responses[0]?.status}`);
              for (const { status } of responses) statuses.add(status);
            }
          }
        }
      }
    }
    expect(statuses).toEqual(new Set([200, 304, 401, 403, 404, 422]));
  });

  test('503, 429 and 500', async () => {
    const { streams } = readConfig({});
    const limited = await startApp({ ...settings, rateLimit: 2, streams: { ...streams, total: 0 } });
    const expectStatus = async (status: number, [path, sent, vary]: readonly [string, Sent, readonly string[]]) => {
      const responses = await responsesTo(path, sent, limited.key, limited);
      expect(responses[0]?.status, path).toBe(status);
      expectPrivate(responses, vary, path);
    };
    await expectStatus(503, ['/graphql', post({ query: subscription }, ofEvents), graphql]);
    await limited.get('/v1/stores/');
    await expectStatus(429, ['/v1/stores/', {}, []]);
    await expectStatus(429, ['/pos/v1/events', {}, []]);
    await expectStatus(429, ['/graphql', post({ query: tree }), graphql]);
    await expectStatus(429, ['/mcp', post(call, ofMcp), mcp]);
    await expectStatus(429, ['/openapi/preview', post({}), []]);
    await limited.orm.em.fork().execute('alter table store rename to gone');
    await expectStatus(500, ['/v1/stores/', {}, []]);
  });
});

test('What depends on no key says so, or is not stored', async () => {
  const revalidated = [
    '/',
    '/menu',
    '/console',
    '/docs',
    '/guides',
    '/guides/pos.md',
    '/llms.txt',
    '/web/page.css',
    '/favicon.ico',
  ];
  const documents = ['/openapi.json', '/openapi/v1-3.0.json', '/openapi/pos.postman.json', '/schema.graphql'];
  const others = [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/menu/',
    '/v1/none',
    '/none',
    `/v1/${'x'.repeat(1_500)}`,
  ];
  const rules: readonly (readonly [string, string])[] = [
    ...[...revalidated, ...documents].map(path => [path, 'no-cache'] as const),
    ...others.map(path => [path, 'no-store'] as const),
  ];
  for (const [path, rule] of rules) {
    for (const response of await responsesTo(path, { headers: { accept: 'text/html' } }, keys.secret)) {
      const found = ['cache-control', 'x-content-type-options'].map(name => response.headers.get(name));
      expect(found, path).toEqual([rule, 'nosniff']);
      expect(varyOf(response), path).not.toContain('x-api-key');
    }
  }
  const [playground] = await responsesTo('/graphql', { headers: { accept: 'text/html' } }, '');
  expect(playground && varyOf(playground)).toEqual(['accept', 'accept-encoding', 'origin', 'x-carte-cost']);
});
