import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { observe, startCollector } from './service.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const app = await startApp();
const store = await app.data.store();

test('A request is a span in its caller’s trace, and each of its statements one below it', async () => {
  const { endpoint, received } = await startCollector();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const headers = { 'x-api-key': app.key, traceparent: `00-${trace}-b7ad6b7169203331-01` };
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, CARTE_LOG_LEVEL: 'info' };
  const { requests } = await observe(app.orm, env, url => fetch(`${url}/v1/stores/${store.id}`, { headers }));

  const sent: Sent[] = received.map(text => JSON.parse(text));
  const spans = sent.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans)),
  );
  const [request] = spans.filter(span => span.name === 'GET /v1/stores/:store_service_id');
  expect(request).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331' });
  const statements = spans.filter(span => span.parentSpanId === request?.spanId);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBe(requests[0]?.statements);
  expect(new Set(statements.map(({ name, traceId }) => `${name} ${traceId}`))).toEqual(new Set([`SELECT ${trace}`]));
  expect(received.join('')).toContain('{"key":"service.name","value":{"stringValue":"carte"}}');
});
