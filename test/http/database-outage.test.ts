import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createOrm, type OrmOptions } from '../../src/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { isCrashedByCancel } from '../../support/pgbouncer.ts';
import { sharedApp } from '../support/app.ts';
import { directConnection, prepare } from '../support/database.ts';
import { smallBody } from './body.ts';
import { waitUntil } from './processes.ts';
import { startProxy } from './proxy.ts';

const app = await sharedApp();
const store = await app.data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
const databaseName = () => String(app.orm.config.get('dbName'));
const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };
const unavailable = { detail: 'The database does not answer at the moment.' };

/** A second service on the same database, with connection options of its own. */
async function serve(given: { port?: number; env?: Record<string, string> } & OrmOptions = {}) {
  const { port, env = {}, ...options } = given;
  const cluster = inject('cluster');
  const where = port ? { ...cluster, host: '127.0.0.1', port } : cluster;
  const orm: MikroORM = createOrm({ ...where, database: databaseName() }, { prepare, ...options });
  const config = { ...readConfig({ CARTE_LOG_LEVEL: 'silent', ...env }), prepare, keyCacheTtlSeconds: 0 };
  const server = await createServer(orm, config);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await orm.close();
  });
  return {
    get: (path: string) => fetch(url + path, { headers }),
    post: (path: string, body: unknown) => fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }),
  };
}

async function connectAsAdmin(): Promise<pg.Client> {
  const client = new pg.Client(directConnection(app.orm));
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function lockStore(): Promise<pg.Client> {
  const client = await connectAsAdmin();
  await client.query('begin');
  await client.query('select from store where id = $1 for update', [store.id]);
  return client;
}

describe('A database that becomes unavailable', () => {
  test('makes requests 503 and fails readiness but not liveness, until it is available again', async () => {
    const proxy = await startProxy();
    const { get } = await serve({ port: proxy.port });
    expect((await get('/v1/stores/')).status).toBe(200);
    expect((await get('/health/ready')).status).toBe(200);
    await proxy.shut();
    const response = await get('/v1/stores/');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual(unavailable);
    const ready = await get('/health/ready');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'not ready', reason: 'the database does not answer' });
    expect((await get('/health/live')).status).toBe(200);
    await proxy.open();
    expect((await get('/health/ready')).status).toBe(200);
    expect((await get('/v1/stores/')).status).toBe(200);
  });

  test('that terminates every connection under load causes no other status than 503', async () => {
    const admin = await connectAsAdmin();
    const { get, post } = await serve();
    const statuses = new Set<number>();
    let isOver = false;
    const sendRequests = async (number: number) => {
      for (let turn = number; !isOver; turn++) {
        const response = turn % 4 === 0 ? post(menuPath, smallBody(`turn ${turn}`)) : get(menuPath);
        statuses.add((await response).status);
      }
    };
    const clients = Array.from({ length: 8 }, (_, number) => sendRequests(number));
    for (let round = 0; round < 5; round++) {
      await waitUntil(async () => (await get(`/v1/stores/${store.id}`)).status === 200);
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`,
        [databaseName()],
      );
    }
    isOver = true;
    await Promise.all(clients);
    expect([...statuses].filter(status => status !== 200 && status !== 503)).toEqual([]);
    await waitUntil(async () => (await get(menuPath)).status === 200);
  });
});

describe('A database that does not respond', () => {
  test('makes a request 503 after the statement time-out, and the statement is cancelled in the server', async () => {
    const { get, post } = await serve({ statementSeconds: 1, poolSize: 2 });
    const blocker = await lockStore();
    const response = await post(menuPath, smallBody('blocked'));
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ detail: 'The database took too long to answer.' });
    // While the store is locked, nothing but the cancellation can end what waits for it.
    const busy = `select from pg_stat_activity where datname = $1 and state <> 'idle' and pid <> pg_backend_pid()`;
    await waitUntil(async () => {
      // In a transaction the view would stay as it was when it was first read.
      await blocker.query('select pg_stat_clear_snapshot()');
      return (await blocker.query(busy, [databaseName()])).rowCount === 0;
    });
    await blocker.query('rollback');
    expect((await post(menuPath, smallBody('free'))).status).toBe(200);
    expect((await get(menuPath)).status).toBe(200);
  });

  // The connections that were held come to life with a cancel request and their end.
  test.skipIf(isCrashedByCancel)(
    'because its connections are dead makes requests 503, and is used again afterwards',
    async () => {
      const proxy = await startProxy();
      const { get } = await serve({ port: proxy.port, statementSeconds: 1, connectionSeconds: 2 });
      expect((await get('/v1/stores/')).status).toBe(200);
      proxy.hold();
      const responses = await Promise.all([get('/v1/stores/'), get('/v1/merchants/'), get('/health/ready')]);
      expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
      proxy.resume();
      await waitUntil(async () => (await get('/v1/stores/')).status === 200);
    },
  );

  test('has no statement time-out outside of requests', async () => {
    const orm = createOrm({ ...inject('cluster'), database: databaseName() }, { prepare, statementSeconds: 0.1 });
    onTestFinished(() => orm.close());
    await expect(orm.em.fork().execute('select pg_sleep(0.3)')).resolves.toHaveLength(1);
  });
});

describe('Overload of the connection pool', () => {
  test('a request that gets no connection in time is 503', async () => {
    const { get, post } = await serve({ poolSize: 1, connectionSeconds: 1, statementSeconds: 600 });
    const blocker = await lockStore();
    const blocked = post(menuPath, smallBody('one'));
    await waitUntil(async () => (await get('/v1/stores/')).status === 503);
    const responses = [await get('/v1/stores/'), await post('/graphql', { query: '{ stores { totalCount } }' })];
    for (const { status, headers } of responses) expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    await blocker.query('rollback');
    expect((await blocked).status).toBe(200);
  });

  test('with CARTE_MAX_WAITING statements waiting, the next request is 503 at once', async () => {
    const { get, post } = await serve({
      poolSize: 1,
      connectionSeconds: 30,
      statementSeconds: 600,
      env: { CARTE_MAX_WAITING: '1' },
    });
    const blocker = await lockStore();
    const waiting = Array.from({ length: 4 }, (_, number) => post(menuPath, smallBody(`${number}`)));
    await waitUntil(async () => {
      const response = await Promise.race([get('/v1/stores/'), new Promise(resolve => setTimeout(resolve, 500))]);
      if (!(response instanceof Response) || response.status !== 503) return false;
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toEqual({ detail: 'The service has more to do than it can at the moment.' });
      return true;
    });
    expect((await get('/health/live')).status).toBe(200);
    await blocker.query('rollback');
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).toSorted();
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
  });
});
