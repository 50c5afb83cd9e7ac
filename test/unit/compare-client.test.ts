import { createServer, type RequestListener } from 'node:http';
import { type Client, createClient } from '@carte/compare/client';
import { createLocks, createSemaphore, forEachConcurrent } from '@carte/compare/concurrency';
import { type PagedList, readPagedList } from '@carte/compare/paged-lists';
import { readRoutes } from '@carte/compare/routes';
import { expect, onTestFinished, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { loadContract } from '../../src/rest/contract.ts';

const routes = readRoutes([loadContract(loadSchema())], { ids: false, order: false });
const createLock = createLocks();

async function serve(listener: RequestListener, timeoutMs = 20_000): Promise<Client> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return createClient({ name: 'old', url: `http://127.0.0.1:${port}`, key: 'k' }, { timeoutMs });
}

/** Serves lists of `total` entities with at most `maxPageSize` of them on a page. */
function serveLists(total: number, maxPageSize: number, firstPage = 0): Promise<Client> {
  const entities = Array.from({ length: total }, (_, nth) => ({ id: `t${nth}` }));
  return serve(({ url = '' }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'http://old');
    if (pathname === '/v1/stores/') {
      const skip = Number(query.get('skip'));
      response.end(JSON.stringify(entities.slice(skip, skip + Math.min(maxPageSize, Number(query.get('limit'))))));
      return;
    }
    const page = Number(query.get('page_index') ?? firstPage);
    const start = (page - firstPage) * maxPageSize;
    const list = entities.slice(start, start + maxPageSize);
    response.end(JSON.stringify({ page_index: page, page_size: maxPageSize, count: total, order_result_list: list }));
  });
}

async function list(
  client: Client,
  path: string,
  limit: number,
): Promise<Pick<PagedList, 'complete'> & { ids: number }> {
  const route = routes.find(candidate => candidate.path === path);
  if (!route) throw new Error(`no route ${path}`);
  const { elements, complete } = await readPagedList(client, route, { path, filters: {}, limit, lock: createLock() });
  return { ids: new Set(elements.map(element => JSON.stringify(element))).size, complete };
}

const orders = '/v1/stores/{store_service_id}/orders/';

test.each([
  ['/v1/stores/', 0],
  [orders, 0],
  [orders, 1],
])('%s is read to its end whatever the page size, with pages counted from %i', async (path, firstPage) => {
  const client = await serveLists(25, 7, firstPage);
  expect(await list(client, path, 100)).toEqual({ ids: 25, complete: true });
  expect(await list(client, path, 25)).toEqual({ ids: 25, complete: true });
  expect(await list(client, path, 24)).toEqual({ ids: 24, complete: false });
});

test('a service that always returns the same page does not cause an endless loop', async () => {
  const client = await serve((_request, response) => void response.end('[{"id":"a"},{"id":"b"}]'));
  expect(await list(client, '/v1/stores/', 100)).toEqual({ ids: 2, complete: false });
});

test('503 is retried', async () => {
  let requests = 0;
  const client = await serve((_request, response) => {
    requests++;
    if (requests < 3) response.writeHead(503, { 'retry-after': '0' });
    response.end('[]');
  });
  expect(await client.get('/v1/stores/', createLock())).toEqual({ status: 200, body: [] });
});

test('a broken connection is retried, unless the service never responded', async () => {
  let requests = 0;
  const client = await serve((request, response) => {
    requests++;
    if (requests === 1 || requests === 3) request.socket.destroy();
    else response.end('[]');
  });
  await expect(client.get('/', createLock())).rejects.toThrow(/^The old service at http:\S+ cannot be reached: /);
  expect(await client.get('/', createLock())).toEqual({ status: 200, body: [] });
  expect(await client.get('/', createLock())).toEqual({ status: 200, body: [] });
  expect(requests).toBe(4);
});

test('a request that times out is an error', async () => {
  const client = await serve(() => {}, 500);
  await expect(client.get('/', createLock())).rejects.toThrow('the request timed out');
});

test.each([
  ['a redirect', 307, '', 'The old service redirects to https://elsewhere.example/: GET /'],
  ['a body that is not JSON', 200, '<html>', 'The old service sends a body that is not JSON: GET /'],
  ['a rejected key', 401, '{}', 'The old service rejects the key (401).'],
])('%s is an error', async (_case, status, body, message) => {
  const client = await serve((_request, response) => {
    response.writeHead(status, { location: 'https://elsewhere.example/' }).end(body);
  });
  await expect(client.get('/', createLock())).rejects.toThrow(message);
});

test('a large body is read under the lock, a small one without', async () => {
  const client = await serve(
    ({ url = '' }, response) => void response.end(JSON.stringify('x'.repeat(Number(url.slice(1))))),
  );
  const granted = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  const acquire = () => {
    requested.resolve();
    return granted.promise;
  };
  const lock = { acquire, release: () => {} };
  expect(await client.get('/1000', lock)).toMatchObject({ status: 200 });
  let read = false;
  const large = client.get(`/${9 * 1024 * 1024}`, lock).then(() => (read = true));
  await requested.promise;
  await client.get('/1000', lock);
  expect(read).toBe(false);
  granted.resolve();
  expect(await large).toBe(true);
});

test('locks exclude each other, and one lock can be acquired twice', async () => {
  const [first, second] = [createLock(), createLock()];
  const order: string[] = [];
  await Promise.all([first.acquire(), first.acquire()]);
  const next = second.acquire().then(() => order.push('second acquired'));
  await new Promise(setImmediate);
  order.push('first released');
  first.release();
  await next;
  expect(order).toEqual(['first released', 'second acquired']);
});

test('a semaphore bounds how many tasks run at once, and runs them all', async () => {
  const limitConcurrency = createSemaphore(2);
  let [running, maxRunning, done] = [0, 0, 0];
  await forEachConcurrent([1, 2, 3, 4, 5], 5, () =>
    limitConcurrency(async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running--;
      done++;
    }),
  );
  expect({ maxRunning, done }).toEqual({ maxRunning: 2, done: 5 });
});
