import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
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
const trace = '0af7651916cd43dd8448eb211c80319c';
const headers = { 'x-api-key': app.key, traceparent: `00-${trace}-b7ad6b7169203331-01` };

/** The spans that one service exports for the calls of all tests, and its log lines about requests. */
const { endpoint, received } = await startCollector(afterAll);
const { requests } = await observe(
  app.orm,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, CARTE_LOG_LEVEL: 'info' },
  async url => {
    await fetch(`${url}/v1/stores/${store.id}`, { headers });
    const json = { ...headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: 'query Names { stores { nodes { name } } }' });
    await fetch(`${url}/graphql`, { method: 'POST', headers: json, body });
    await fetch(`${url}/v1/stores/${store.id}/menu_configuration/`, { method: 'POST', headers: json, body: '{' });
    await fetch(`${url}/v1/stores/unknown`, { headers });
  },
  afterAll,
);
const spans = received.flatMap(text =>
  (JSON.parse(text) as Sent).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans)),
);

test('a request is a span in the trace of its client, and each of its statements a child of that span', async () => {
  const [request] = spans.filter(span => span.name === 'GET /v1/stores/:store_service_id');
  expect(request).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331', kind: 2 });
  const statements = spans.filter(span => span.parentSpanId === request?.spanId);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBe(requests[0]?.statements);
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
      { key: 'carte.key.id', value: { stringValue: requests[1]?.key } },
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
