import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp({ loadLimits: { maxWaiting: 500, maxDelayMs: 50 } });

/** Keeps the event loop from running for so long. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

async function untilStatus(expected: number, delayEventLoop: () => void) {
  for (;;) {
    delayEventLoop();
    const response = await app.get('/v1/stores/');
    if (response.status === expected) return response;
    expect([200, 503]).toContain(response.status);
  }
}

test('while the event loop is late, requests get 503, and health and metrics respond', async () => {
  expect((await app.get('/v1/stores/')).status).toBe(200);

  const { headers, body } = await untilStatus(503, () => block(300));
  expect(headers.get('retry-after')).toBe('1');
  expect(body).toEqual({ detail: 'The service has more to do than it can at the moment.' });
  const graphql = await app.graphql('{ stores { nodes { id } } }');
  expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1']);
  expect(graphql.body.errors[0].extensions.code).toBe('UNAVAILABLE');
  for (const path of ['/health/live', '/health/ready', '/metrics', '/docs']) {
    expect((await app.get(path)).status, path).toBe(200);
  }
  expect((await app.get('/v1/stores/', { 'x-api-key': '' })).status).toBe(503);

  await untilStatus(200, () => {});
});
