import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cpuSeconds } from '../../../support/cpu.ts';
import type { Database } from '../../../support/database.ts';
import { createStores, insertOrder } from '../../../support/orders.ts';
import type { Program } from '../../../support/program.ts';
import { carte, startCheckout } from '../../../support/servers.ts';
import { openStream, type Stream } from '../../../support/streams.ts';
import { createClient, sendExpecting } from '../client.ts';

const stores = 100;
const clients = 8;
const warmUpMs = 1_000;
/** A key would get some 480 of these events a second. */
const unlimited = { CARTE_STREAM_COST_PER_SECOND: '10000000' };

export interface LatencyOptions {
  /** The checkout that serves. */
  readonly folder: string;
  readonly name: string;
  readonly seconds: number;
  /** Changes a second. */
  readonly rate: number;
  /** To the database, for the changes; 0 if they go through the service. */
  readonly connections: number;
  /** Of each store. */
  readonly streams: number;
}

const accept = 'mutation ($id: ID!) { changeOrderStatus(input: { orderId: $id, to: ACCEPTED }) { order { id } } }';
const watch = `subscription ($id: ID!) {
  orderEvents(storeId: $id) { at orderId order { id status customer { name } } }
}`;

async function openStreams(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^carte_streams_open\S* (\d+)$/gm)].reduce((sum, [, open]) => sum + Number(open), 0);
}

type Writer = (orderId: string) => Promise<unknown>;

function createWriters(part: Program, url: string, key: string): Writer[] {
  const client = createClient(url, key, clients);
  part.atEnd(() => client.close());
  const write: Writer = id =>
    sendExpecting(client, { path: '/graphql', body: JSON.stringify({ query: accept, variables: { id } }) }, 200);
  return Array.from({ length: clients }, () => write);
}

function connectWriters(part: Program, { connection }: Database, count: number): Promise<Writer[]> {
  return Promise.all(
    Array.from({ length: count }, async (): Promise<Writer> => {
      const client = new pg.Client(connection);
      await client.connect();
      part.atEnd(() => client.end());
      return id =>
        client.query({ name: 'accept', text: "update orders set status = 'ACCEPTED' where id = $1", values: [id] });
    }),
  );
}

/** Accepts orders, and measures the time from the change, just before its commit, to its arrival at each stream. */
export async function measureLatency(part: Program, options: LatencyOptions): Promise<void> {
  const { folder, name, seconds, rate, connections, streams: streamsPerStore } = options;
  const database = await part.startDatabase();
  const server = await part.run(startCheckout(folder, { ...database.env, CARTE_LOG_LEVEL: 'error', ...unlimited }));
  // Each of them has a stream for each store: as many streams as a key may have, and a fifth of what is delivered.
  const keys: string[] = [];
  for (let index = 0; index < streamsPerStore; index++) {
    keys.push(await carte(['key', 'create', '--name', 'key', '--all', '--can', 'orders'], database.env, { folder }));
  }
  const storeIds = await createStores(database, stores);
  const count = seconds * rate;
  const orderIds = Array.from({ length: count }, (_, index) => `order-${index}`);
  for (const [index, id] of orderIds.entries()) await database.query(insertOrder, [id, storeIds[index % stores]]);
  const latencies: number[] = [];
  let received = 0;
  let begun = Number.POSITIVE_INFINITY;
  const streams: Stream[] = [];
  const read = async (stream: Stream) => {
    for (;;) {
      const { data } = await stream.next();
      received += 1;
      // At first, changes that are not the service's own are found by polling.
      if (performance.now() < begun + warmUpMs) continue;
      latencies.push(Math.max(0, Date.now() - Date.parse(data.orderEvents.at)));
    }
  };
  for (const [index, key] of keys.entries()) {
    for (const id of storeIds) {
      const transport = index % 2 === 0 ? ('sse' as const) : ('websocket' as const);
      const stream = openStream(transport, { url: server.url, key }, { query: watch, variables: { id } });
      part.atEnd(() => stream.close());
      streams.push(stream);
      void read(stream).catch(() => {});
    }
    const deadline = performance.now() + 60_000;
    while ((await openStreams(server.url)) < streams.length) {
      if (performance.now() > deadline) throw new Error(`Fewer than ${streams.length} streams are open`);
      await sleep(100);
    }
  }
  const before = { server: cpuSeconds(server.child.pid), database: cpuSeconds(database.pid) };
  const writers = await (connections > 0
    ? connectWriters(part, database, connections)
    : createWriters(part, server.url, keys[0] ?? ''));
  begun = performance.now();
  let next = 0;
  const write = async (change: Writer) => {
    for (let index = next++; index < count; index = next++) {
      const due = begun + (index * 1_000) / rate;
      if (due > performance.now()) await sleep(due - performance.now());
      await change(orderIds[index] ?? '');
    }
  };
  await Promise.all(writers.map(write));
  const took = (performance.now() - begun) / 1_000;
  const deadline = performance.now() + 10_000;
  while (received < count * streamsPerStore && performance.now() < deadline) await sleep(50);
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => `${sorted[Math.floor((sorted.length - 1) * share)]} ms`;
  const perDelivery = (from: number, to: number) => `${(((to - from) / received) * 1e6).toFixed(0)} µs`;
  const perSecond = (number: number) => (number / took).toFixed(0);
  const [serverCpu, databaseCpu] = [cpuSeconds(server.child.pid), cpuSeconds(database.pid)];
  console.log(
    `${name}: ${streams.length} streams, ${perSecond(count)} changes/s, ${perSecond(received)} deliveries/s: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}; ` +
      `CPU for each delivery: server ${perDelivery(before.server, serverCpu)}, database ${perDelivery(before.database, databaseCpu)} (with the changes); ` +
      `missed: ${count * streamsPerStore - received}`,
  );
}
