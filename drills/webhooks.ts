import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../support/options.ts';
import { insertOrder } from '../support/orders.ts';
import { carte, importDocuments, type Server } from '../support/servers.ts';
import { runDrill, withLocalWebhooks } from './support/harness.ts';
import { startReceiver } from './webhooks/receiver.ts';

const { seconds, stores, rate, processes } = readOptions(
  `Delivers events to a receiver that fails half of the time while the serving process is killed again and again, and checks that every event
arrives, in order for each store, with a valid signature. The time until the next attempt after a failure is cut short; that after a killed
process is not.`,
  { seconds: 60, stores: 20, rate: 50, processes: 2 },
);
const storeIds = Array.from({ length: stores }, (_, index) => `store-${index}`);

await runDrill(async ({ atEnd, startDatabase, startServer, violations }) => {
  const receiver = await startReceiver(violations);
  atEnd(() => receiver.stop());
  const database = await startDatabase();
  const env = { ...database.env, ...withLocalWebhooks };
  await importDocuments('merchants', [{ id: 'merchant', brand_name: 'Casa Verde' }], env);
  const documents = storeIds.map(id => ({ id, name: {}, merchant: { id: 'merchant' } }));
  await importDocuments('stores', documents, env);
  const target = ['--url', receiver.url, '--merchant', 'merchant', '--events', 'order.placed'];
  receiver.expectSecret(await carte(['webhook', 'create', ...target], env));
  const servers: Server[] = [];
  for (let count = 0; count < processes; count++) servers.push(await startServer(env));

  const endsAt = Date.now() + seconds * 1000;
  let placed = 0;
  const write = async () => {
    for (; Date.now() < endsAt; placed++) {
      await database.query(insertOrder, [`order-${placed}`, storeIds[placed % storeIds.length]]);
      await sleep(1000 / rate);
    }
  };
  let kills = 0;
  const kill = async () => {
    for (; Date.now() < endsAt; kills++) {
      await sleep(2_000 + Math.random() * 3_000);
      servers.shift()?.child.kill('SIGKILL');
      servers.push(await startServer(env));
    }
  };
  let isDone = false;
  const retry = async () => {
    while (!isDone) {
      // Skips what a process enqueues, which locks many queues in another order.
      await database.query(
        `update webhook_queue set next_attempt_at = now() where (webhook_id, store_id) in (
          select webhook_id, store_id from webhook_queue where claim is null and newest > position for update skip locked)`,
      );
      await sleep(50);
    }
  };
  const retrying = retry();
  await Promise.all([write(), kill()]);
  const stoppedAt = Date.now();
  while (receiver.countAccepted() < placed && Date.now() < stoppedAt + 60_000) await sleep(100);
  isDone = true;
  await retrying;
  const missing = placed - receiver.countAccepted();
  if (missing !== 0) violations.push(`${missing} of ${placed} events did not arrive`);
  console.log(`${placed} events at ${storeIds.length} stores, ${kills} kills: ${receiver.describe()}`);
  console.log(`  all ${((Date.now() - stoppedAt) / 1000).toFixed(1)} s after the last write`);
});
