/**
 * Delivers events to a receiver that fails half of the time while the serving process is killed again and again, and checks that every
 * event arrives, in order for each store, with a valid signature:
 *   npx node drills/webhooks.ts [--seconds 60] [--stores 20] [--rate 50] [--processes 2]
 * The time until the next attempt after a failure is cut short; that after a killed process is not.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { startDatabase } from '../support/database.ts';
import { carte, type Server, startServer, stopServer } from '../support/servers.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    stores: { type: 'string', default: '20' },
    rate: { type: 'string', default: '50' },
    processes: { type: 'string', default: '2' },
  },
});
const seconds = Number(values.seconds);
const storeIds = Array.from({ length: Number(values.stores) }, (_, index) => `store-${index}`);
const folder = mkdtempSync(join(tmpdir(), 'carte-webhooks-'));
const problems: string[] = [];

/** What a store has received. */
interface Progress {
  last: number;
  isAccepted: boolean;
  readonly accepted: Set<string>;
}

const progress = new Map<string, Progress>();
const counts = { attempts: 0, repeated: 0 };
const latencies: number[] = [];

function check(id: string, storeId: string, orderId: string, isAccepted: boolean): void {
  const position = Number(id.slice('msg_'.length));
  const store = progress.get(storeId) ?? { last: 0, isAccepted: true, accepted: new Set<string>() };
  progress.set(storeId, store);
  if (position < store.last) problems.push(`${storeId}: ${id} after a later event`);
  if (position > store.last && !store.isAccepted)
    problems.push(`${storeId}: ${id} before its predecessor was accepted`);
  if (store.accepted.has(orderId)) counts.repeated += 1;
  store.isAccepted = isAccepted || (position === store.last && store.isAccepted);
  store.last = position;
  if (isAccepted) store.accepted.add(orderId);
}

let secret = '';
const receiver = createServer(async (request, response) => {
  const body = await text(request).catch(() => undefined);
  if (body === undefined) return;
  counts.attempts += 1;
  const isAccepted = Math.random() < 0.5;
  try {
    new Webhook(secret).verify(body, request.headers as Record<string, string>);
  } catch (error) {
    problems.push(`${request.headers['webhook-id']}: ${error}`);
  }
  const { timestamp, data } = JSON.parse(body);
  check(String(request.headers['webhook-id']), data.store_id, data.order_id, isAccepted);
  if (isAccepted) latencies.push(Date.now() - Date.parse(timestamp));
  response.writeHead(isAccepted ? 200 : 500).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

const database = await startDatabase(folder);
const env = {
  ...database.env,
  CARTE_WEBHOOK_ALLOW_HTTP: 'on',
  CARTE_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32',
  CARTE_LOG_LEVEL: 'error',
};
const servers: Server[] = [];
try {
  await database.importDocuments('merchants', [`${JSON.stringify({ id: 'merchant', brand_name: 'Casa Verde' })}\n`]);
  const documents = storeIds.map(id => `${JSON.stringify({ id, name: {}, merchant: { id: 'merchant' } })}\n`);
  await database.importDocuments('stores', documents);
  const { port } = receiver.address() as AddressInfo;
  const target = ['--url', `http://127.0.0.1:${port}/`, '--merchant', 'merchant', '--events', 'order.placed'];
  secret = await carte(['webhook', 'create', ...target], env);
  for (let count = 0; count < Number(values.processes); count++) servers.push(await startServer(env));

  const endsAt = Date.now() + seconds * 1000;
  let placed = 0;
  const write = async () => {
    while (Date.now() < endsAt) {
      const storeId = storeIds[placed % storeIds.length];
      await database.query(`
        insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
        values ('order-${placed}', '${storeId}', now(), 'PENDING', 'Ana', '1', 100, 10, '[]', now(), false, false)`);
      placed += 1;
      await sleep(1000 / Number(values.rate));
    }
  };
  let kills = 0;
  const kill = async () => {
    while (Date.now() < endsAt) {
      await sleep(2_000 + Math.random() * 3_000);
      const victim = servers.shift();
      victim?.child.kill('SIGKILL');
      kills += 1;
      servers.push(await startServer(env));
    }
  };
  const acceptedCount = () => [...progress.values()].reduce((sum, { accepted }) => sum + accepted.size, 0);
  let isDone = false;
  const retry = async () => {
    while (!isDone) {
      await database.query(
        'update webhook_queue set next_attempt_at = now() where claim is null and newest > position',
      );
      await sleep(50);
    }
  };
  const retrying = retry();
  await Promise.all([write(), kill()]);
  const stoppedAt = Date.now();
  while (acceptedCount() < placed && Date.now() < stoppedAt + 60_000) await sleep(100);
  isDone = true;
  await retrying;
  if (acceptedCount() !== placed) problems.push(`${placed - acceptedCount()} of ${placed} events did not arrive`);
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => `${sorted[Math.floor((sorted.length - 1) * share)]} ms`;
  console.log(
    `${placed} events at ${storeIds.length} stores, ${kills} kills: ${counts.attempts} attempts, ${counts.repeated} repetitions`,
  );
  console.log(
    `from the event to its acceptance: median ${at(0.5)}, 99 % ${at(0.99)}, slowest ${at(1)}; all ${((Date.now() - stoppedAt) / 1000).toFixed(1)} s after the last write`,
  );
} finally {
  for (const server of servers) await stopServer(server);
  receiver.closeAllConnections();
  receiver.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems.slice(0, 20)) console.error(problem);
console.log(
  problems.length === 0 ? 'Every event arrived, in order, with a valid signature.' : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
