import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { metricsAlone } from '../support/metrics.ts';

const app = await startApp();
const store = await app.data.store();

/** The value of a sample, by its name and labels as Prometheus writes them. */
const sampleOf = (metrics: string, sample: string) =>
  Number(
    metrics
      .split('\n')
      .find(line => line.startsWith(`${sample} `))
      ?.split(' ')
      .at(-1),
  );

describe('/metrics', () => {
  test('needs no key and counts requests by route and by GraphQL operation', async () => {
    await app.get(`/v1/stores/${store.id}`);
    await app.get('/v1/stores/unknown');
    await app.graphql('query Names { stores { nodes { name { text } } } }');
    const { status, headers, text } = await app.get('/metrics', { 'x-api-key': '' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const route = 'method="GET",route="/v1/stores/:store_service_id"';
    expect(sampleOf(text, `carte_http_request_duration_seconds_count{${route},status="200"}`)).toBe(1);
    expect(sampleOf(text, `carte_http_request_duration_seconds_count{${route},status="404"}`)).toBe(1);
    expect(sampleOf(text, 'carte_graphql_request_duration_seconds_count{operation="Names"}')).toBe(1);
    expect(text).not.toContain(store.id);
  });

  test('shows the pool, the process and requests in progress', async () => {
    const used = 'carte_database_connections{state="used"}';
    // Work beside requests, such as that on due times, uses one now and then.
    await expect.poll(async () => sampleOf((await app.get('/metrics')).text, used)).toBe(0);
    const { text } = await app.get('/metrics');
    expect(sampleOf(text, 'carte_http_requests_in_flight')).toBe(1);
    expect(sampleOf(text, 'carte_database_connections{state="idle"}')).toBeGreaterThan(0);
    expect(sampleOf(text, 'carte_database_waiting')).toBe(0);
    expect(sampleOf(text, 'carte_database_errors_total')).toBe(0);
    expect(sampleOf(text, 'carte_response_cache_lookups_total{outcome="hit"}')).toBe(0);
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
    ]) {
      expect(sampleOf(text, name)).toBeGreaterThan(0);
    }
  });

  test('is 404 with CARTE_METRICS=off', async () => {
    expect((await (await startApp({ metrics: false })).get('/metrics')).status).toBe(404);
  });
});

test('the number of series is bounded, however many operation names clients send', async () => {
  const metrics = metricsAlone();
  for (let number = 0; number < 5_000; number++) {
    const operation = `Operation${number}`;
    metrics.requestStarted();
    metrics.requestFinished('POST', { route: '/graphql', status: 200, milliseconds: 10, operation, isOfGuest: false });
  }
  const text = await metrics.registry.metrics();
  expect(text.match(/carte_graphql_request_duration_seconds_count\{/g)).toHaveLength(101);
  expect(sampleOf(text, 'carte_graphql_request_duration_seconds_count{operation="other"}')).toBe(4_900);
});

test('the names of guests use up none of those of others', async () => {
  const metrics = metricsAlone();
  const finish = (operation: string, isOfGuest: boolean) => {
    metrics.requestStarted();
    metrics.requestFinished('POST', { route: '/graphql', status: 200, milliseconds: 10, operation, isOfGuest });
  };
  for (let number = 0; number < 200; number++) finish(`Guest${number}`, true);
  for (const isOfGuest of [false, true]) finish('Menu', isOfGuest);
  const text = await metrics.registry.metrics();
  expect(sampleOf(text, 'carte_graphql_request_duration_seconds_count{operation="Menu"}')).toBe(2);
  expect(sampleOf(text, 'carte_graphql_request_duration_seconds_count{operation="other"}')).toBe(200);
});

test('menu replacements are timed', async () => {
  const metrics = metricsAlone();
  metrics.menuReplaced(0.2);
  expect(sampleOf(await metrics.registry.metrics(), 'carte_menu_replace_duration_seconds_sum')).toBe(0.2);
});
