/**
 * Lists the files of src/ and packages/ that a request passes through, by V8's coverage of repeated requests to a server in this process:
 *   npx node tools/walk.ts
 * docs/architecture.md describes the same flows.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../src/config.ts';
import { queryIn } from '../src/database/query.ts';
import { loadDemo } from '../src/demo/load.ts';
import { openDatabase } from '../src/open-database.ts';
import { createServer } from '../src/server/server.ts';

/** Functions that a request calls are called as often; those of timers are not. */
const times = 20;
const storeId = 'lisbon-baixa';
const root = fileURLToPath(new URL('../', import.meta.url));

const session = new Session();
session.connect();

/** The files with functions that each of the calls has called. */
async function walkOf(name: string, call: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 3; count++) await call();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (let count = 0; count < times; count++) await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const files = result
    .filter(({ functions }) => functions.some(({ ranges: [range] }) => (range?.count ?? 0) >= times))
    .map(({ url }) => (url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url))
    .filter(file => /^(?:src|packages)\//.test(file));
  console.log(`\n${name}: ${files.length} files\n  ${files.sort().join('\n  ')}`);
}

const folder = mkdtempSync(join(tmpdir(), 'carte-walk-'));
const config = readConfig({ CARTE_DATA: folder, CARTE_ADDRESS_RATE_LIMIT: '0' });
const database = await openDatabase(config);
const key = await loadDemo(database.orm);
const app = await createServer(database.orm, config);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

async function send(path: string, body?: object): Promise<unknown> {
  const response = await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"errors"')) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

try {
  await walkOf('GET /v1/stores/{store_service_id}', () => send(`/v1/stores/${storeId}`));

  const menuPath = `/v1/stores/${storeId}/menu_configuration/`;
  await walkOf('GET of a cached menu tree', () => send(menuPath));
  const flat = (await send(`${menuPath}flat`)) as { items: { price: number }[] };
  await walkOf(`POST ${menuPath.replace(storeId, '{store_service_id}')}`, () => {
    const [first] = flat.items;
    if (first) first.price += 1;
    return send(menuPath, flat);
  });

  const query = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }`;
  const { data } = (await send('/graphql', {
    query: `{ store(id: "${storeId}") { items { externalId sellSeparately inStock categories { menus { id } } modifierGroups { groupMin } } } }`,
  })) as { data: { store: { items: readonly OrderedItem[] } } };
  const item = data.store.items.find(
    ({ sellSeparately, inStock, categories, modifierGroups }) =>
      sellSeparately && inStock && categories.some(({ menus }) => menus.length > 0) && modifierGroups.length === 0,
  );
  await queryIn(database.orm.em.fork())(`update menu set availability = $1 where store_id = $2`, [
    JSON.stringify(
      ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({
        dayOfWeek,
        timePeriods: [{ startTime: '00:00', endTime: '24:00' }],
      })),
    ),
    storeId,
  ]);
  let orders = 0;
  await walkOf('placeOrder', () => {
    const customer = { name: 'A guest', phone: '1' };
    const lines = [{ itemExternalId: item?.externalId }];
    const input = { storeId, idempotencyKey: `walk ${orders++}`, customer, lines };
    return send('/graphql', { query, variables: { input } });
  });

  const events = await openStream();
  await walkOf('An event of a subscription', async () => {
    const received = events.next();
    await queryIn(database.orm.em.fork())('update orders set is_read = not is_read where id = $1', [events.orderId]);
    await received;
  });
  events.close();
} finally {
  await app.close();
  await database.close();
  session.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

interface OrderedItem {
  readonly externalId: string;
  readonly sellSeparately: boolean;
  readonly inStock: boolean;
  readonly categories: readonly { readonly menus: readonly unknown[] }[];
  readonly modifierGroups: readonly unknown[];
}

/** Opens a stream of the orders of the store; `next` resolves with the next event. */
async function openStream() {
  const { data } = (await send('/graphql', {
    query: `{ store(id: "${storeId}") { orders(first: 1) { nodes { id } } } }`,
  })) as { data: { store: { orders: { nodes: readonly { id: string }[] } } } };
  const query = `subscription { orderEvents(storeId: "${storeId}") { cursor order { id status } } }`;
  const client = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
    signal: client.signal,
  });
  let waiting = Promise.withResolvers<void>();
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      if (Buffer.from(chunk).toString().includes('event: next')) waiting.resolve();
    }
  };
  read().catch(() => {});
  return {
    orderId: data.store.orders.nodes[0]?.id ?? '',
    next() {
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    close: () => client.abort(),
  };
}
