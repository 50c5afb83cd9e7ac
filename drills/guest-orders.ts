import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOptions } from '../support/options.ts';
import { carte, createKey, importDocuments } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { orderableMenu } from './support/menu.ts';

const { orders, checkMs, pauses, guests, items, writers } = readOptions(
  `Checks what orders of guests do to others, and others to them. Twelve of them wait at a store whose rows are locked: how long does a change of another
tenant take? A price changes all the time: is each order stored at the one that the operator's check has seen? Some write a large menu while guests order: how
long does a pause take?`,
  { orders: 1000, checkMs: 200, pauses: 30, guests: 24, items: 2000, writers: 4 },
);

const maxPauseMs = 2_000;

const placeOrder = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { guestOrder { number } } }`;
const setStock = `mutation { setStock(input: { storeId: "other", items: [{ externalId: "soup", inStock: true }] }) { store { id } } }`;
const setOrdering = (state: string) =>
  `mutation { setStoreOrdering(input: { storeId: "store", state: ${state} }) { store { id } } }`;

interface Reply {
  readonly data?: object | null;
  readonly errors?: readonly {
    readonly extensions: { readonly code: string; readonly errors?: readonly { readonly type: string }[] };
  }[];
}

const outcomeOf = ({ errors }: Reply) => {
  const [error] = errors ?? [];
  return error ? (error.extensions.errors?.[0]?.type ?? error.extensions.code) : 'placed';
};

/** Prints the outcomes with their counts. */
const count = (outcomes: readonly string[]) =>
  Object.fromEntries([...new Set(outcomes)].sort().map(each => [each, outcomes.filter(one => one === each).length]));

/** An operator's check that takes a time, and keeps the total that it has seen of each guest. */
async function startCheck() {
  const totals = new Map<string, number>();
  let delayMs = 0;
  const server = createServer(async (request, response) => {
    const { order } = JSON.parse(await text(request)).data;
    totals.set(order.customer.name, order.total);
    await sleep(delayMs);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, totals, take: (ms: number) => (delayMs = ms), close: () => server.close() };
}

await runDrill(async ({ atEnd, startDatabase, startServer, violations }) => {
  const { env } = await startDatabase();
  const check = await startCheck();
  atEnd(() => check.close());
  const unlimited = ['PER_ADDRESS', 'PER_KEY', 'PER_STORE', 'PENDING_PER_ADDRESS', 'PENDING_PER_STORE'].map(
    name => [`CARTE_GUEST_ORDERS_${name}`, '0'] as const,
  );
  const { url } = await startServer({
    ...env,
    ...Object.fromEntries(unlimited),
    CARTE_GUEST_ORDER_CHECK: check.url,
    CARTE_GUEST_ORDER_CHECK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    CARTE_TRUST_PROXY: '127.0.0.0/8',
    CARTE_PUBLISHABLE_RATE_LIMIT: '0',
    CARTE_LOG_LEVEL: 'silent',
  });
  await importDocuments(
    'stores',
    ['store', 'other'].map(id => ({ id, name: {}, currency: 'EUR' })),
    env,
  );
  const [own, staff, others] = [
    await createKey(env, '--write'),
    await createKey(env, '--write'),
    await createKey(env, '--write'),
  ];
  const origin = 'https://shop.example';
  const scope = ['--store', 'store', '--publishable', '--can', 'place-guest-orders', '--origin', origin];
  const shop = await carte(['key', 'create', '--name', 'shop', ...scope], env);
  const post = async (path: string, body: unknown, key = own, headers: Record<string, string> = {}): Promise<Reply> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Reply;
  };
  const postMenu = (price: number, { storeId = 'store', others = 0 } = {}) => {
    const changed = orderableMenu.items.map(item => ({ ...item, price }));
    const beside = Array.from({ length: others }, (_, index) =>
      orderableMenu.items.map(item => ({ ...item, external_id: `${item.external_id}-${index}`, price })),
    );
    return post(`/v1/stores/${storeId}/menu_configuration/`, {
      ...orderableMenu,
      items: [...changed, ...beside.flat()],
    });
  };
  const place = (guest: number) => {
    const customer = { name: randomUUID(), phone: '' };
    const lines = [{ itemExternalId: 'soup', quantity: 2 }];
    const input = { storeId: 'store', idempotencyKey: randomUUID(), customer, lines };
    const from = { origin, 'x-forwarded-for': `203.0.113.${guest}` };
    return post('/graphql', { query: placeOrder, variables: { input } }, shop, from).then(outcomeOf);
  };
  const time = async (run: () => Promise<Reply>) => {
    const begun = performance.now();
    const outcome = outcomeOf(await run());
    if (outcome !== 'placed') violations.push(`a change was refused: ${outcome}`);
    return performance.now() - begun;
  };
  const timesOf = async (runs: number, run: () => Promise<Reply>) => {
    const times: number[] = [];
    for (let index = 0; index < runs; index++) times.push(await time(run));
    return times;
  };
  const show = (what: string, unsorted: readonly number[]) => {
    const times = unsorted.toSorted((one, two) => one - two);
    const at = (share: number) => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0)} ms`;
    console.log(`${what}: ${times.length} times, p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}`);
  };
  /** Runs something again and again until the returned function is called. */
  const repeat = (run: (index: number) => Promise<unknown>) => {
    let isEnding = false;
    const ended = (async () => {
      for (let index = 0; !isEnding; index++) await run(index);
    })();
    return async () => {
      isEnding = true;
      await ended;
    };
  };
  await postMenu(500);
  await postMenu(500, { storeId: 'other' });
  await Promise.all(Array.from({ length: 8 }, (_, guest) => place(guest)));

  const client = new pg.Client(env.DATABASE_URL);
  await client.connect();
  atEnd(() => client.end());

  // 1. Twelve orders that wait for a row.
  const changeOther = () => post('/graphql', { query: setStock }, others);
  const calm = await timesOf(20, changeOther);
  show("a change of another tenant's stock", calm);
  await client.query('begin');
  await client.query("select from store where id = 'store' for update");
  const locked = Array.from({ length: 12 }, (_, guest) => place(guest));
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'`;
  while ((await client.query(waiting)).rowCount === 0) await sleep(20);
  await sleep(200);
  const beside = await timesOf(20, changeOther);
  await client.query('commit');
  show('the same beside twelve orders that wait for a row', beside);
  console.log('  the orders:', count(await Promise.all(locked)));
  if (Math.max(...beside) > Math.max(...calm) + 100) violations.push('a change waited for the orders of guests');

  // 2. A price that changes while orders are checked.
  check.take(checkMs);
  const stopPrices = repeat(async () => {
    await postMenu(Math.random() < 0.5 ? 500 : 600);
    await sleep(checkMs / 2);
  });
  const outcomes: string[] = [];
  await Promise.all(
    Array.from({ length: 16 }, async (_, guest) => {
      for (let order = guest; order < orders; order += 16) outcomes.push(await place(guest));
    }),
  );
  await stopPrices();
  console.log(`${orders} orders beside a price that changes, with a check of ${checkMs} ms:`, count(outcomes));
  const stored = await client.query('select customer_name as guest, price from orders');
  const wrong = stored.rows.filter(({ guest, price }) => check.totals.get(guest) !== Number(price));
  console.log(`  ${stored.rows.length} stored in all, ${wrong.length} of them at a price that was not checked`);
  if (wrong.length > 0) violations.push(`${wrong.length} orders have a price that was not checked`);
  if (outcomes.some(outcome => !['placed', 'quote_changed'].includes(outcome))) violations.push('an order failed');
  check.take(0);

  // 3. A pause beside orders and a menu that changes.
  const set = (state: string) => time(() => post('/graphql', { query: setOrdering(state) }, staff));
  const quiet: number[] = [];
  for (let pause = 0; pause < pauses; pause++) {
    quiet.push(await set('PAUSED'));
    await set('OPEN');
  }
  show('a pause', quiet);
  const tried: string[] = [];
  const stops = [
    ...Array.from({ length: writers }, (_, writer) =>
      repeat(index => postMenu(500 + writer + 10 * (index % 2), { others: items })),
    ),
    ...Array.from({ length: guests }, (_, guest) => repeat(async () => tried.push(await place(guest)))),
  ];
  await sleep(1_000);
  const times: number[] = [];
  for (let pause = 0; pause < pauses; pause++) {
    times.push(await set('PAUSED'));
    await set('OPEN');
    await sleep(100);
  }
  await Promise.all(stops.map(stop => stop()));
  if (Math.max(...times) > maxPauseMs) violations.push('a pause took too long');
  show(`a pause beside ${guests} guests who order, and a menu that changes`, times);
  console.log('  the orders:', count(tried));
});
