import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type Client, createClient } from '../../src/compare/client.ts';
import { type Listing, readListing } from '../../src/compare/pages.ts';
import { readRoutes } from '../../src/compare/routes.ts';
import { createGate, createTurns, eachOf } from '../../src/compare/turns.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { loadContract } from '../../src/rest/contract/contract.ts';

const routes = readRoutes(loadContract(createSchema()), { ids: false, order: false });
const newTurn = createTurns();

async function serve(listener: RequestListener, seconds = 20): Promise<Client> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return createClient({ name: 'old', url: `http://127.0.0.1:${port}`, key: 'k' }, { seconds });
}

/** A service whose lists have so many things, of which it answers so many at most. */
function serveLists(total: number, most: number, firstPage = 0): Promise<Client> {
  const things = Array.from({ length: total }, (_, nth) => ({ id: `t${nth}` }));
  return serve(({ url = '' }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'http://old');
    if (pathname === '/v1/stores/') {
      const skip = Number(query.get('skip'));
      response.end(JSON.stringify(things.slice(skip, skip + Math.min(most, Number(query.get('limit'))))));
      return;
    }
    const page = Number(query.get('page_index') ?? firstPage);
    const start = (page - firstPage) * most;
    const list = things.slice(start, start + most);
    response.end(JSON.stringify({ page_index: page, page_size: most, count: total, order_result_list: list }));
  });
}

async function list(client: Client, path: string, bound: number): Promise<Pick<Listing, 'complete'> & { ids: number }> {
  const route = routes.find(candidate => candidate.path === path);
  if (!route) throw new Error(`no route ${path}`);
  const { elements, complete } = await readListing(client, route, { path, conditions: {}, bound, turn: newTurn() });
  return { ids: new Set(elements.map(element => JSON.stringify(element))).size, complete };
}

const orders = '/v1/stores/{store_service_id}/orders/';

test.each([
  ['/v1/stores/', 0],
  [orders, 0],
  [orders, 1],
])('%s is read to its end whatever a part holds, with pages from %i', async (path, firstPage) => {
  const client = await serveLists(25, 7, firstPage);
  expect(await list(client, path, 100)).toEqual({ ids: 25, complete: true });
  expect(await list(client, path, 25)).toEqual({ ids: 25, complete: true });
  expect(await list(client, path, 24)).toEqual({ ids: 24, complete: false });
});

test('a service that always answers the same part is not asked for ever', async () => {
  const client = await serve((_request, response) => void response.end('[{"id":"a"},{"id":"b"}]'));
  expect(await list(client, '/v1/stores/', 100)).toEqual({ ids: 2, complete: false });
});

test('a service that is too busy is asked again', async () => {
  let asked = 0;
  const client = await serve((_request, response) => {
    asked++;
    if (asked < 3) response.writeHead(503, { 'retry-after': '0' });
    response.end('[]');
  });
  expect(await client.get('/v1/stores/', newTurn())).toEqual({ status: 200, body: [] });
});

test('a connection that breaks is tried again, unless the service never answered', async () => {
  let asked = 0;
  const client = await serve((request, response) => {
    asked++;
    if (asked === 1 || asked === 3) request.socket.destroy();
    else response.end('[]');
  });
  await expect(client.get('/', newTurn())).rejects.toThrow(/^The old service at http:\S+ cannot be reached: /);
  expect(await client.get('/', newTurn())).toEqual({ status: 200, body: [] });
  expect(await client.get('/', newTurn())).toEqual({ status: 200, body: [] });
  expect(asked).toBe(4);
});

test('an answer that takes too long is not waited for', async () => {
  const client = await serve(() => {}, 1);
  await expect(client.get('/', newTurn())).rejects.toThrow('it takes too long to answer');
});

test.each([
  ['a redirect', 307, '', 'The old service redirects to https://elsewhere.example/: GET /'],
  ['no JSON', 200, '<html>', 'The old service answers something that is no JSON: GET /'],
  ['a key that it does not take', 401, '{}', 'The old service refuses the key (401).'],
])('%s ends the comparison', async (_what, status, body, message) => {
  const client = await serve((_request, response) => {
    response.writeHead(status, { location: 'https://elsewhere.example/' }).end(body);
  });
  await expect(client.get('/', newTurn())).rejects.toThrow(message);
});

test('a large answer waits for its turn, a small one does not', async () => {
  const client = await serve(
    ({ url = '' }, response) => void response.end(JSON.stringify('x'.repeat(Number(url.slice(1))))),
  );
  const { promise: ours, resolve: begin } = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  const enter = () => {
    waiting.resolve();
    return ours;
  };
  const turn = { enter, leave: () => {} };
  expect(await client.get('/1000', turn)).toMatchObject({ status: 200 });
  let read = false;
  const large = client.get(`/${9 * 1024 * 1024}`, turn).then(() => (read = true));
  await waiting.promise;
  await client.get('/1000', turn);
  expect(read).toBe(false);
  begin();
  expect(await large).toBe(true);
});

test('turns are taken one after the other, and both sides of a pair have the same', async () => {
  const [first, second] = [newTurn(), newTurn()];
  const order: string[] = [];
  await Promise.all([first.enter(), first.enter()]);
  const next = second.enter().then(() => order.push('second enters'));
  await new Promise(setImmediate);
  order.push('first leaves');
  first.leave();
  await next;
  expect(order).toEqual(['first leaves', 'second enters']);
});

test('a gate lets only so many through at once, and all in the end', async () => {
  const gate = createGate(2);
  let [inside, most, done] = [0, 0, 0];
  await eachOf([1, 2, 3, 4, 5], 5, () =>
    gate(async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
      done++;
    }),
  );
  expect({ most, done }).toEqual({ most: 2, done: 5 });
});
