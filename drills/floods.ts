import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOptions } from '../support/options.ts';
import { insertOrder } from '../support/orders.ts';
import { createKey, importDocuments, startCheckout } from '../support/servers.ts';
import { openStream } from '../support/streams.ts';
import { startEndpoints } from './floods/endpoints.ts';
import { runDrill, withLocalWebhooks } from './support/harness.ts';

const { events, seconds, webhooks, stores, streams, checkout } = readOptions(
  `Has one merchant commit very many events, in a single transaction and then in many for some seconds, with streams, and with webhooks of which half
lead to an endpoint that takes a second for each message and half to one that never responds. Meanwhile ten orders a second are placed at another
merchant: prints how long they take to its webhook and to its stream. --checkout: a folder with another version of Carte and its dependencies.`,
  { events: 20_000, seconds: 15, webhooks: 50, stores: 20, streams: 20, checkout: '' },
);

const maxSeconds = 5;
const perStatement = 500;
const floodStores = Array.from({ length: stores }, (_, index) => `flood-${index}`);
const calmStores = Array.from({ length: 1_000 }, (_, index) => `calm-${index}`);
const subscription = 'subscription ($id: ID!) { orderEvents(storeId: $id) { orderId order { id } } }';

await runDrill(async ({ atEnd, run, startDatabase, startServer, violations }) => {
  const database = await startDatabase();
  const env = { ...database.env, ...withLocalWebhooks, CARTE_DEMO: 'off' };
  const server = await (checkout ? run(startCheckout(checkout, env)) : startServer(env));
  const merchants = ['flood', 'calm'].map(id => ({ id, brand_name: id }));
  await importDocuments('merchants', merchants, env);
  const documents = [...floodStores, ...calmStores].map(id => ({ id, name: {}, merchant: { id: id.split('-')[0] } }));
  await importDocuments('stores', documents, env);
  const key = await createKey(env, '--can', 'admin');
  const endpoints = await startEndpoints();
  atEnd(() => endpoints.stop());
  await endpoints.createWebhook({ url: server.url, key }, 'calm', 'fast');
  for (let count = 0; count < webhooks; count++) {
    await endpoints.createWebhook({ url: server.url, key }, 'flood', count % 2 === 0 ? 'slow' : 'never');
  }

  const streamedAt = new Map<string, number>();
  const watch = async (watcher: string, id = '') => {
    const stream = openStream('sse', { url: server.url, key: watcher }, { query: subscription, variables: { id } });
    atEnd(() => stream.close());
    for (;;) streamedAt.set((await stream.next()).data.orderEvents.orderId, performance.now());
  };
  void watch(key, 'calm-0').catch(() => {});
  const floodKey = await createKey(env);
  for (let count = 0; count < streams; count++) void watch(floodKey, floodStores[count % stores]).catch(() => {});

  const connect = async () => {
    const client = new pg.Client(database.env.DATABASE_URL);
    await client.connect();
    atEnd(() => client.end());
    return client;
  };
  const calm = await connect();
  const writers = await Promise.all(Array.from({ length: 4 }, connect));

  let placed = 0;
  /** Every other order is for the store with the stream, the others each for a store of its own. */
  async function measure(name: string, work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    const sentAt = new Map<string, number>();
    const streamed: string[] = [];
    for (; !isDone; placed += 1) {
      const id = `calm-${placed}`;
      sentAt.set(id, performance.now());
      if (placed % 2 === 0) streamed.push(id);
      await calm.query(insertOrder, [id, placed % 2 === 0 ? 'calm-0' : calmStores[placed % calmStores.length]]);
      await sleep(100);
    }
    await done;
    await report(`${name}, webhook`, [...sentAt.keys()], sentAt, endpoints.arrivedAt);
    await report(`${name}, stream`, streamed, sentAt, streamedAt);
  }

  type Times = ReadonlyMap<string, number>;
  async function report(name: string, ids: readonly string[], sentAt: Times, arrivedAt: Times): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (ids.some(id => !arrivedAt.has(id)) && performance.now() < deadline) await sleep(50);
    const times = ids.map(id => (arrivedAt.get(id) ?? Number.POSITIVE_INFINITY) - (sentAt.get(id) ?? 0));
    const sorted = times.toSorted((one, other) => one - other);
    const at = (share: number) => `${sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(0)} ms`;
    console.log(`${name}: ${ids.length} orders, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`);
    if ((sorted.at(-1) ?? 0) > maxSeconds * 1_000) violations.push(`${name}: an order took ${at(1)}`);
  }

  await sleep(2_000);
  await measure('quiet', sleep(8_000));

  const [burst] = writers;
  await burst?.query('begin');
  for (let first = 0; first < events; first += perStatement) {
    await burst?.query(
      `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
      select 'burst-' || i, 'flood-' || i % $3::int, now(), 'PENDING', 'Ana', '1', 1200, 120, '[]', now(), false, false
      from generate_series($1::int, $2::int) i`,
      [first, first + perStatement - 1, stores],
    );
  }
  const committed = burst?.query('commit');
  await measure(`${events} events in one transaction`, Promise.all([committed, sleep(10_000)]));

  const until = performance.now() + seconds * 1_000;
  let flooded = 0;
  const flood = async (writer: pg.Client) => {
    while (performance.now() < until) {
      const id = flooded++;
      await writer.query(insertOrder, [`flood-${id}`, floodStores[id % stores]]);
    }
  };
  await measure('many transactions', Promise.all(writers.map(flood)));
  const perSecond = (flooded / seconds).toFixed(0);
  console.log(`  ${perSecond} transactions a second; ${endpoints.slowMessages()} messages to the slow endpoint`);
});
