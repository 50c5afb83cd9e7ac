import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createOrm } from '../../src/database/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { startApp } from '../support/app.ts';
import { prepare } from '../support/database.ts';
import { startProxy } from './proxy.ts';

const app = await startApp({ rateLimit: 2 });
const store = await app.data.store();
await app.data.menu(store);

/** A second service on the same database, over a line that can fail. */
async function serveOverProxy(keySeconds: number) {
  const proxy = await startProxy();
  const where = { ...inject('cluster'), host: '127.0.0.1', port: proxy.port };
  const orm = createOrm({ ...where, database: String(app.orm.config.get('dbName')) }, { prepare });
  const server = await createServer(orm, { ...readConfig({ CARTE_LOG_LEVEL: 'silent' }), prepare, keySeconds });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await orm.close();
  });
  const ask = (query: string) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': app.key, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  return { proxy, ask };
}

describe('/graphql while the database is away', () => {
  const queries = ['{ stores { id } }', `{ store(id: "${store.id}") { menus { name { translations } } } }`];

  test.each([
    ['the key is looked up', 0],
    ['the query runs', 5],
  ])('is 503 with UNAVAILABLE, be it that %s when that shows', async (_when, keySeconds) => {
    const { proxy, ask } = await serveOverProxy(keySeconds);
    expect((await ask('{ merchants { id } }')).status).toBe(200);
    await proxy.shut();
    for (const query of queries) {
      const answer = await ask(query);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await answer.json()).toMatchObject({
        errors: [{ message: 'The database does not answer at the moment.', extensions: { code: 'UNAVAILABLE' } }],
      });
    }
    await proxy.open();
    for (const query of queries) expect((await ask(query)).status).toBe(200);
  });
});

test('/graphql beyond the rate limit is 429 with TOO_MANY_REQUESTS', async () => {
  const key = await app.newKey();
  const ask = () => app.graphql('{ stores { id } }', {}, { 'x-api-key': key });
  expect((await ask()).headers.get('ratelimit-remaining')).toBe('1');
  expect((await ask()).status).toBe(200);
  const { status, headers, body } = await ask();
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(body.errors).toMatchObject([
    { message: 'This API key may make 2 requests a minute.', extensions: { code: 'TOO_MANY_REQUESTS' } },
  ]);
});
