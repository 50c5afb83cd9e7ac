import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKey } from '../../../src/auth/keys.ts';
import { createOrm } from '../../../src/orm.ts';
import { operatorScope } from '../../../src/scope.ts';
import { cpuSeconds } from '../../../support/cpu.ts';
import type { Database } from '../../../support/database.ts';
import { createStores, insertOrder } from '../../../support/orders.ts';
import type { Program } from '../../../support/program.ts';
import { createKey, type Server } from '../../../support/servers.ts';

const changesPerSecond = 20;
const idleSeconds = 20;

interface Page {
  readonly events: readonly { readonly order_id: string }[];
  readonly next: string;
}

/** Reads the next page of the events of a store. */
function poll(server: Server, agent: Agent, storeId: string, key: string, query: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    const path = `/pos/v1/stores/${storeId}/events?${query}`;
    const request = get(`${server.url}${path}`, { agent, headers: { 'x-api-key': key } }, async response => {
      const text = Buffer.concat(await response.toArray()).toString();
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`${path} is ${response.statusCode}: ${text}`));
    });
    request.on('error', reject);
  });
}

const residentKb = (pid: number | undefined) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const orderOf = (storeId: string) => `order-${storeId}`;

/** Measures POS systems that wait, each with a key and a store of its own: what they take, and the time from a change of an order to its POS. */
export async function measurePolling(program: Program, database: Database, waiting: number): Promise<void> {
  const server = await program.startServer({ ...database.env, CARTE_LOG_LEVEL: 'error' });
  const orm = createOrm(database.connection);
  program.atEnd(() => orm.close());
  const agent = new Agent({ keepAlive: true });
  program.atEnd(() => agent.destroy());
  const storeIds = await createStores(database, waiting);
  for (const storeId of storeIds) await database.query(insertOrder, [orderOf(storeId), storeId]);
  const systems: { readonly storeId: string; readonly key: string }[] = [];
  for (const storeId of storeIds) {
    const em = orm.em.fork();
    em.setFilterParams('scope', { ...operatorScope });
    const request = { name: storeId, all: false, merchantIds: [], storeIds: [storeId], permissions: [] };
    const { key } = await issueKey(em, request);
    systems.push({ storeId, key });
  }

  const idle = cpuSeconds(server.child.pid);
  const idleDatabase = cpuSeconds(database.pid);
  await sleep(idleSeconds * 1_000);
  const before = { cpu: cpuSeconds(server.child.pid) - idle, database: cpuSeconds(database.pid) - idleDatabase };
  const residentBefore = residentKb(server.child.pid);

  const sentAt = new Map<string, number>();
  const latencies: number[] = [];
  let isOver = false;
  const loop = async ({ storeId, key }: (typeof systems)[number]) => {
    for (let after = ''; !isOver; ) {
      const { events, next } = await poll(server, agent, storeId, key, `wait=25${after}`);
      for (const { order_id: id } of events) latencies.push(performance.now() - (sentAt.get(id) ?? Number.NaN));
      after = `&after=${next}`;
    }
  };
  const loops = systems.map(loop);
  await sleep(1_000);
  const [cpu, databaseCpu] = [cpuSeconds(server.child.pid), cpuSeconds(database.pid)];
  // Less than a wait takes, so that none is renewed meanwhile.
  await sleep(idleSeconds * 1_000);
  const extra = {
    server: cpuSeconds(server.child.pid) - cpu - before.cpu,
    database: cpuSeconds(database.pid) - databaseCpu - before.database,
  };
  const kilobytes = (residentKb(server.child.pid) - residentBefore) / waiting;

  const changes = idleSeconds * changesPerSecond;
  const key = await createKey(database.env, '--write');
  const writes: number[] = [];
  const mark = async (storeId: string, isRead: boolean) => {
    const response = await fetch(`${server.url}/pos/v1/stores/${storeId}/orders/mark`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ order_ids: [orderOf(storeId)], is_read: isRead }),
    });
    if (response.status !== 200) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  for (let count = 0; count < changes; count++) {
    const storeId = storeIds[count % storeIds.length] ?? '';
    const begun = performance.now();
    sentAt.set(orderOf(storeId), begun);
    // Every round changes what the one before has set.
    await mark(storeId, Math.floor(count / storeIds.length) % 2 === 0);
    writes.push(performance.now() - begun);
    await sleep(Math.max(0, begun + 1_000 / changesPerSecond - performance.now()));
  }
  while (latencies.length < changes) await sleep(100);
  // Closes the connections that still wait.
  isOver = true;
  agent.destroy();
  await Promise.allSettled(loops);

  const times = (measured: readonly number[]) => {
    const sorted = measured.toSorted((one, other) => one - other);
    const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1)} ms`;
    return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
  };
  const share = (seconds: number) => `${((seconds / idleSeconds / waiting) * 100).toFixed(4)} %`;
  console.log(
    `${waiting} waiting POS systems: ${kilobytes.toFixed(1)} KB each; ${share(extra.server)} of a core each, of the database ${share(extra.database)}`,
  );
  console.log(`from sending a change of an order to its POS: ${times(latencies)}`);
  console.log(`until the change itself had its response: ${times(writes)}`);
}
