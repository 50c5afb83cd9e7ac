import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cpuSeconds } from '../../../support/cpu.ts';
import type { Database } from '../../../support/database.ts';
import { createStores, insertOrder } from '../../../support/orders.ts';
import type { Program } from '../../../support/program.ts';
import { createKey } from '../../../support/servers.ts';
import { openStream } from '../../../support/streams.ts';

const stores = 100;
const streamsPerStore = 5;
const ordersPerSecond = 200;
const writers = 4;

/** Measures the time from the commit of an order to its arrival at each stream. */
export async function measureLatency(
  { atEnd, startServer }: Program,
  database: Database,
  seconds: number,
): Promise<void> {
  const server = await startServer({ ...database.env, CARTE_LOG_LEVEL: 'error' });
  // Each of them has a stream for each store: as many streams as a key may have, and a fifth of what is delivered.
  const keys: string[] = [];
  for (let index = 0; index < streamsPerStore; index++) {
    keys.push(await createKey(database.env));
  }
  const clients = await Promise.all(
    Array.from({ length: writers }, async () => {
      const client = new pg.Client(database.env.DATABASE_URL);
      await client.connect();
      atEnd(() => client.end());
      return client;
    }),
  );
  const storeIds = await createStores(database, stores);
  const committedAt = new Map<string, number>();
  const latencies: number[] = [];
  const query =
    'subscription ($id: ID!) { orderEvents(storeId: $id) { cursor orderId order { id status customer { name } } } }';
  const streams = storeIds.flatMap(id =>
    keys.map((key, index) => {
      const transport = index % 2 === 0 ? ('sse' as const) : ('websocket' as const);
      const stream = openStream(transport, { url: server.url, key }, { query, variables: { id } });
      atEnd(() => stream.close());
      return stream;
    }),
  );
  const read = async (stream: (typeof streams)[number]) => {
    for (;;) {
      const { data } = await stream.next();
      const at = committedAt.get(data.orderEvents.orderId);
      if (at !== undefined) latencies.push(Math.max(0, performance.now() - at));
    }
  };
  for (const stream of streams) void read(stream).catch(() => {});
  await sleep(5_000);
  const before = { server: cpuSeconds(server.child.pid), database: cpuSeconds(database.pid) };
  const begun = performance.now();
  const write = async (client: pg.Client) => {
    for (let count = 0; count < (seconds * ordersPerSecond) / writers; count++) {
      const due = begun + (count * 1_000 * writers) / ordersPerSecond;
      if (due > performance.now()) await sleep(due - performance.now());
      const id = randomUUID();
      // Until the statement returns: an event may be here before the response to its commit.
      committedAt.set(id, performance.now());
      await client.query(insertOrder, [id, storeIds[Math.floor(Math.random() * stores)]]);
    }
  };
  await Promise.all(clients.map(write));
  const took = (performance.now() - begun) / 1_000;
  await sleep(1_000);
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1)} ms`;
  const perDelivery = (from: number, to: number) => `${(((to - from) / latencies.length) * 1e6).toFixed(0)} µs`;
  const rate = (count: number) => (count / took).toFixed(0);
  console.log(`${streams.length} streams, ${rate(committedAt.size)} orders/s, ${rate(latencies.length)} deliveries/s`);
  console.log(`from sending the insert to the subscriber: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`);
  const [serverCpu, databaseCpu] = [cpuSeconds(server.child.pid), cpuSeconds(database.pid)];
  console.log(
    `CPU for each delivery: server ${perDelivery(before.server, serverCpu)}, database ${perDelivery(before.database, databaseCpu)} (with the inserts)`,
  );
  console.log(`missed: ${committedAt.size * streamsPerStore - latencies.length}`);
}
