import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { smallBody } from './body.ts';
import { observe, startCollector } from './service.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const app = await startApp();
const store = await app.data.store();
const storePath = `/v1/stores/${store.id}`;
const menuPath = `${storePath}/menu_configuration/`;
const rows: { id: string }[] = await app.orm.em.fork().execute('select id from api_key');
const keyId = rows[0]?.id;
const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };

async function makeCalls(url: string): Promise<void> {
  const post = (path: string, body: string, more = {}) =>
    fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body });
  const graphql = (query: string, operationName?: string) => post('/graphql', JSON.stringify({ query, operationName }));
  await fetch(`${url}${storePath}`, { headers: { ...headers, 'x-request-id': 'till-7:42' } });
  await post(menuPath, JSON.stringify(smallBody('one')));
  await post(menuPath, '{');
  await graphql('query Names { stores { nodes { name { text } } } } query Other { stores { nodes { id } } }', 'Other');
  await graphql('# comment\nquery Stores { stores { nodes { id merchant { id } } } }');
  await graphql('{ stores { nodes { id } } }');
  await graphql(`{ store(id: "${app.key}") { nothing } }`);
  await fetch(`${url}/v1/stores/?x-api-key=${app.key}`);
  await fetch(`${url}/v1/stores/${app.key}`, { headers: { ...headers, 'x-request-id': app.key } });
  await fetch(`${url}/nothing/${app.key}?key=${app.key}`, { headers: { cookie: app.key } });
  await fetch(`${url}/v1/stores/`, { headers: { 'x-api-key': `${app.key}x` } });
  await post(menuPath, JSON.stringify(smallBody(app.key)), { 'x-api-key': `${app.key} ` });
}

const trace = '0af7651916cd43dd8448eb211c80319c';

async function makeTracedCalls(url: string): Promise<void> {
  const traced = { ...headers, traceparent: `00-${trace}-b7ad6b7169203331-01` };
  await fetch(`${url}${storePath}`, { headers: traced });
  const body = JSON.stringify({ query: 'query Names { stores { nodes { name { text } } } }' });
  await fetch(`${url}/graphql`, { method: 'POST', headers: traced, body });
  await fetch(`${url}${menuPath}`, { method: 'POST', headers: traced, body: '{' });
  await fetch(`${url}/v1/stores/unknown`, { headers: traced });
}

/** What one service logs, counts and exports for the calls of all tests. */
const { endpoint, received } = await startCollector(afterAll);
let metrics = '';
const { said, requests: logged } = await observe(
  app.orm,
  { CARTE_LOG_LEVEL: 'debug', CARTE_KEY_CACHE_TTL_SECONDS: '0', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  async url => {
    await makeCalls(url);
    await makeTracedCalls(url);
    metrics = await (await fetch(`${url}/metrics`)).text();
  },
  afterAll,
);
const requests = logged.filter(({ path }) => path !== '/metrics');
const tracedRequests = requests.slice(12);
const spans = received
  .flatMap(text =>
    (JSON.parse(text) as Sent).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans)),
  )
  .filter(({ traceId }) => traceId === trace);

test('the log has a line for each request with key, operation, status and duration', () => {
  expect(requests).toHaveLength(16);
  expect(requests[0]).toMatchObject({
    level: 30,
    reqId: 'till-7:42',
    key: keyId,
    operation: 'getStore',
    method: 'GET',
    path: storePath,
    status: 200,
    ms: expect.any(Number),
    statements: expect.any(Number),
  });
  expect(requests[1]).toMatchObject({ operation: 'createMenuConfiguration', method: 'POST', status: 200 });
  expect(requests[1]?.statements).toBeGreaterThan(4);
  expect(requests[2]).toMatchObject({ status: 422, statements: 1 });
  expect(requests.slice(3, 6).map(({ operation }) => operation)).toEqual(['Other', 'Stores', 'anonymous']);
  expect(requests[4]).toMatchObject({ path: '/graphql', key: keyId, status: 200 });
  expect(requests[7]).toMatchObject({ status: 401, path: '/v1/stores/', statements: 0 });
  expect(requests[7]).not.toHaveProperty('key');
  expect(requests[8]).toMatchObject({ status: 404, path: '/v1/stores/carte_…' });
  expect(requests[8]?.reqId).toMatch(/^[\da-f]{8}-/);
  expect(requests[9]).toMatchObject({ status: 404, path: '/nothing/carte_…' });
});

test('no log line, metric or trace contains an API key', () => {
  const traces = received.join('\n');
  expect(said).toContain(keyId);
  expect(metrics).toContain('carte_http_request_duration_seconds_count');
  expect(traces).toContain('http.route');
  const secret = app.key.slice('carte_'.length, 30);
  for (const text of [said, metrics, traces]) expect(text).not.toContain(secret);
});

test('a request is a span in the trace of its client, and each of its statements a child of that span', async () => {
  const [request] = spans.filter(span => span.name === 'GET /v1/stores/:store_service_id');
  expect(request).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331', kind: 2 });
  const statements = spans.filter(span => span.parentSpanId === request?.spanId);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBe(tracedRequests[0]?.statements);
  expect(new Set(statements.map(({ name, traceId }) => `${name} ${traceId}`))).toEqual(new Set([`SELECT ${trace}`]));
  expect(received.join('')).toContain('{"key":"service.name","value":{"stringValue":"carte"}}');
});

test('a span has the key, the operation and the status of its request; only a server error is marked as one', async () => {
  const [graphql, invalid] = ['POST /graphql', 'POST /v1'].map(start =>
    spans.find(({ name }) => name.startsWith(start)),
  );
  const unknown = spans.findLast(({ name }) => name.startsWith('GET /v1'));
  expect(graphql?.attributes).toEqual(
    expect.arrayContaining([
      { key: 'carte.key.id', value: { stringValue: tracedRequests[1]?.key } },
      { key: 'graphql.operation.name', value: { stringValue: 'Names' } },
      { key: 'http.response.status_code', value: { intValue: 200 } },
    ]),
  );
  for (const [span, status] of [
    [invalid, 422],
    [unknown, 404],
  ] as const) {
    expect(span?.status).toEqual({ code: 0 });
    expect(span?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: status } });
  }
});

describe('x-request-id', () => {
  test('of the client is returned where it is a plain token, and replaced otherwise', async () => {
    const headersFor = async (id: string) => (await app.get('/health/live', { 'x-request-id': id })).headers;
    expect((await headersFor('till-7:42')).get('x-request-id')).toBe('till-7:42');
    for (const id of ['a b', 'x'.repeat(129), '"quoted"', app.key]) {
      expect((await headersFor(id)).get('x-request-id')).toMatch(/^[\da-f]{8}-[\da-f]{4}-/);
    }
  });

  test('is in error responses too', async () => {
    for (const path of ['/nothing', '/v1/nothing', '/v1/stores/']) {
      const response = await app.get(path, { 'x-api-key': '', 'x-request-id': 'mine' });
      expect(response.headers.get('x-request-id')).toBe('mine');
    }
  });
});
