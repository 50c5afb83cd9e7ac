import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../support/database.ts';
import { readOptions } from '../support/options.ts';
import { createKey, importDocuments, type Server } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { orderableMenu } from './support/menu.ts';

const options = readOptions(
  `Checks that what ends at a set time ends once. Stores are paused, and an item of each is sold out, for a second or two, over and over, while one of two
processes at a time is killed with SIGKILL and started again. Then orders are placed while a store is paused and opened: none follows a pause.`,
  { stores: 20, seconds: 60, killEverySeconds: 3, pauses: 20 },
);

const setBoth = `mutation ($id: ID!, $until: DateTime!) {
  setStoreOrdering(input: { storeId: $id, state: PAUSED, until: $until }) { store { id } }
  setStock(input: { storeId: $id, items: [{ externalId: "soup", inStock: false, until: $until }] }) { store { id } }
}`;
const setState =
  'mutation ($id: ID!, $state: OrderingState!) { setStoreOrdering(input: { storeId: $id, state: $state }) { store { id } } }';
const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';

interface Reply {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly errors?: readonly { readonly type: string }[] };
  }[];
}

type Post = (server: Server | undefined, path: string, body: unknown) => Promise<Reply>;

function createPost(key: string): Post {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return async (server, path, body) => {
    const response = await fetch(`${server?.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Reply;
  };
}

/** Sets the times of a store again and again, each after those before have ended; calls without a response are repeated. */
async function keepSetting(
  storeId: string,
  query: Database['query'],
  call: (query: string, variables: object) => Promise<Reply>,
  end: number,
) {
  let rounds = 0;
  while (Date.now() < end) {
    const until = new Date(Date.now() + 1_000 + Math.random() * 1_500).toISOString();
    let reply: Reply | undefined;
    // After its time the call is refused, whether or not an earlier one has arrived.
    while (reply === undefined) {
      reply = await call(setBoth, { id: storeId, until }).catch(() => undefined);
      if (!reply) await sleep(50);
    }
    while ((await query('select from due_time where store_id = $1', [storeId])).length > 0) await sleep(100);
    rounds += 1;
  }
  return rounds;
}

await runDrill(async ({ startDatabase, startServer, violations }) => {
  const database = await startDatabase();
  const { env } = database;
  // One after the other: it has one connection.
  let last: Promise<unknown> = Promise.resolve();
  const query: Database['query'] = (...args) => {
    const result = last.then(() => database.query(...args));
    last = result.catch(() => {});
    return result;
  };
  const ids = Array.from({ length: options.stores }, (_, index) => `store-${index}`);
  await importDocuments(
    'stores',
    ids.map(id => ({ id, name: {} })),
    env,
  );
  const post = createPost(await createKey(env, '--write'));
  const start = () => startServer({ ...env, CARTE_LOG_LEVEL: 'silent' });
  const servers = [await start(), await start()];
  const any = () => servers[Math.floor(Math.random() * servers.length)];
  const call = (text: string, variables: object) => post(any(), '/graphql', { query: text, variables });
  for (const id of ids) await post(servers[0], `/v1/stores/${id}/menu_configuration/`, orderableMenu);

  const end = Date.now() + options.seconds * 1_000;
  const setting = ids.map(id => keepSetting(id, query, call, end));
  let kills = 0;
  while (Date.now() + options.killEverySeconds * 1_000 < end) {
    await sleep(options.killEverySeconds * 1_000);
    servers[kills % 2]?.child.kill('SIGKILL');
    servers[kills % 2] = await start();
    kills += 1;
  }
  const rounds = (await Promise.all(setting)).reduce((sum, count) => sum + count, 0);

  const settled = async () => (await query('select from event_inbox', [])).length === 0;
  while (!(await settled())) await sleep(100);
  for (const id of ids) {
    const history = await query(
      `select source, in_stock from menu_history h, menu_item i
       where h.store_id = $1 and i.store_id = $1 and h.source like 'STOCK%' order by h.revision`,
      [id],
    );
    const sources = history.map(({ source }) => source);
    const isAlternating = sources.every((source, index) => source === (index % 2 ? 'STOCK_UNTIL' : 'STOCK'));
    if (!isAlternating || sources.length % 2 || history.some(({ in_stock }) => in_stock !== true)) {
      violations.push(`the stock of ${id} was not put back once for each time: ${sources.join(' ')}`);
    }
    const [counts] = await query(
      `select count(*) filter (where kind = 'ORDERING_CHANGED')::int as ordering, count(*) filter (where kind = 'STOCK_CHANGED')::int as stock,
         (select ordering is null from store where id = $1) as is_open
       from event where store_id = $1`,
      [id],
    );
    if (Number(counts?.ordering) % 2 || !counts?.is_open) violations.push(`${id} was not opened once for each pause`);
    if (counts?.stock !== sources.length)
      violations.push(`${id} has ${counts?.stock} events of ${sources.length} changes`);
  }
  console.log(`${rounds} times of ${ids.length} stores have ended, with ${kills} processes killed`);

  const [storeId = ''] = ids;
  const outcomes = new Map<string, number>();
  const order = async () => {
    const input = {
      storeId,
      idempotencyKey: randomUUID(),
      customer: { name: 'Ana', phone: '' },
      lines: [{ itemExternalId: 'soup' }],
    };
    const { data, errors } = await call(placeOrder, { input });
    const outcome = data?.placeOrder ? 'placed' : (errors?.[0]?.extensions.errors?.[0]?.type ?? 'failed');
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  for (let pause = 0; pause < options.pauses; pause++) {
    const orders = Array.from({ length: 50 }, async (_, index) => {
      await sleep(index * Math.random() * 4);
      await order();
    });
    await sleep(Math.random() * 100);
    await call(setState, { id: storeId, state: 'PAUSED' });
    await Promise.all(orders);
    await call(setState, { id: storeId, state: 'OPEN' });
  }
  while (!(await settled())) await sleep(100);
  const log = await query(
    `select kind from event where store_id = $1 and kind in ('ORDER_PLACED', 'ORDERING_CHANGED') order by position`,
    [storeId],
  );
  // Before the first order, pauses and their ends are in pairs.
  let isPaused = false;
  for (const { kind } of log) {
    if (kind === 'ORDERING_CHANGED') isPaused = !isPaused;
    else if (isPaused) violations.push('an order was placed after a pause');
  }
  const [{ count } = {}] = await query('select count(*)::int from orders where store_id = $1', [storeId]);
  console.log(
    `${options.pauses * 50} orders while a store was paused ${options.pauses} times:`,
    Object.fromEntries(outcomes),
    `${count} stored`,
  );
  if (count !== outcomes.get('placed') || outcomes.has('failed'))
    violations.push('an order is lost, or its response is');
});
