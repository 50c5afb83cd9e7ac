import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createOrm } from '../../src/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { startApp } from '../support/app.ts';
import { prepare } from '../support/database.ts';
import { startProxy } from './proxy.ts';

const app = await startApp({ rateLimit: 2 });
const store = await app.data.store();
await app.data.menu(store);

/** A second service on the same database, over a connection that can fail. */
async function serveOverProxy(keyCacheTtlSeconds: number) {
  const proxy = await startProxy();
  const where = { ...inject('cluster'), host: '127.0.0.1', port: proxy.port };
  const orm = createOrm({ ...where, database: String(app.orm.config.get('dbName')) }, { prepare });
  const server = await createServer(orm, { ...readConfig({ CARTE_LOG_LEVEL: 'silent' }), prepare, keyCacheTtlSeconds });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await orm.close();
  });
  const query = (text: string) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': app.key, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    });
  return { proxy, query };
}

describe('/graphql while the database is unavailable', () => {
  const queries = ['{ stores { nodes { id } } }', `{ store(id: "${store.id}") { menus { name { translations } } } }`];

  test.each([
    ['the key is looked up', 0],
    ['the query runs', 5],
  ])('is 503 with UNAVAILABLE if it fails when %s', async (_when, keyCacheTtlSeconds) => {
    const { proxy, query } = await serveOverProxy(keyCacheTtlSeconds);
    expect((await query('{ merchants { nodes { id } } }')).status).toBe(200);
    await proxy.shut();
    for (const text of queries) {
      const response = await query(text);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject({
        errors: [{ message: 'The database does not answer at the moment.', extensions: { code: 'UNAVAILABLE' } }],
      });
    }
    await proxy.open();
    for (const text of queries) expect((await query(text)).status).toBe(200);
  });
});

test('/graphql beyond the rate limit is 429 with TOO_MANY_REQUESTS', async () => {
  const key = await app.newKey();
  const listStores = () => app.graphql('{ stores { nodes { id } } }', {}, { 'x-api-key': key });
  expect((await listStores()).headers.get('ratelimit-remaining')).toBe('1');
  expect((await listStores()).status).toBe(200);
  const { status, headers, body } = await listStores();
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(body.errors).toMatchObject([
    { message: 'This API key may make 2 requests a minute.', extensions: { code: 'TOO_MANY_REQUESTS' } },
  ]);
});
