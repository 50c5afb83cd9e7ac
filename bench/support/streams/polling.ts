import { randomUUID } from 'node:crypto';
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
import type { Server } from '../../../support/servers.ts';

const ordersPerSecond = 20;
const idleSeconds = 20;

interface Page {
  readonly events: readonly { readonly order_id: string }[];
  readonly next: string;
}

/** Reads a path over a connection that is kept. */
function read(server: Server, agent: Agent, path: string, key: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    const request = get(`${server.url}${path}`, { agent, headers: { 'x-api-key': key } }, async response => {
      const text = Buffer.concat(await response.toArray()).toString();
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`${path} is ${response.statusCode}: ${text}`));
    });
    request.on('error', reject);
  });
}

/** Reads the next page of the events of a store. */
const poll = (server: Server, agent: Agent, storeId: string, key: string, query: string) =>
  read(server, agent, `/pos/v1/stores/${storeId}/events?${query}`, key);

const residentKb = (pid: number | undefined) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Measures POS systems that wait, each with a key and a store of its own: what they take, and the time from the commit of an order to its POS. */
export async function measurePolling(program: Program, database: Database, waiting: number): Promise<void> {
  const server = await program.startServer({ ...database.env, CARTE_LOG_LEVEL: 'error' });
  const orm = createOrm(database.connection);
  program.atEnd(() => orm.close());
  const agent = new Agent({ keepAlive: true });
  program.atEnd(() => agent.destroy());
  const storeIds = await createStores(database, waiting);
  const systems: { readonly storeId: string; readonly key: string; readonly cursor: string }[] = [];
  for (const storeId of storeIds) {
    const em = orm.em.fork();
    em.setFilterParams('scope', { ...operatorScope });
    const request = { name: storeId, all: false, merchantIds: [], storeIds: [storeId], permissions: [] };
    const { key } = await issueKey(em, request);
    systems.push({ storeId, key, cursor: (await poll(server, agent, storeId, key, '')).next });
  }

  const idle = cpuSeconds(server.child.pid);
  const idleDatabase = cpuSeconds(database.pid);
  await sleep(idleSeconds * 1_000);
  const before = { cpu: cpuSeconds(server.child.pid) - idle, database: cpuSeconds(database.pid) - idleDatabase };
  const residentBefore = residentKb(server.child.pid);

  const committedAt = new Map<string, number>();
  const latencies: number[] = [];
  let isOver = false;
  const loop = async ({ storeId, key, cursor }: (typeof systems)[number]) => {
    for (let after = cursor; !isOver; ) {
      const { events, next } = await poll(server, agent, storeId, key, `wait=25&after=${after}`);
      for (const { order_id: id } of events) latencies.push(performance.now() - (committedAt.get(id) ?? Number.NaN));
      after = next;
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

  const orders = idleSeconds * ordersPerSecond;
  const plainReads: number[] = [];
  for (let count = 0; count < orders; count++) {
    const id = randomUUID();
    const storeId = storeIds[Math.floor(Math.random() * storeIds.length)];
    const begun = performance.now();
    // Until the statement returns: an event may be here before the response to its commit.
    committedAt.set(id, begun);
    await database.query(insertOrder, [id, storeId]);
    // By turns, to tell how busy the machine is.
    const readAt = performance.now();
    const [{ key = '' } = {}] = systems.filter(system => system.storeId === storeId);
    await read(server, agent, `/v1/stores/${storeId}`, key);
    plainReads.push(performance.now() - readAt);
    await sleep(Math.max(0, begun + 1_000 / ordersPerSecond - performance.now()));
  }
  while (latencies.length < orders) await sleep(100);
  isOver = true;
  // Each gets one more order, so that none is left waiting.
  for (const storeId of storeIds) await database.query(insertOrder, [randomUUID(), storeId]);
  await Promise.all(loops);

  const times = (measured: readonly number[]) => {
    const sorted = measured.toSorted((one, other) => one - other);
    const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1)} ms`;
    return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
  };
  const share = (seconds: number) => `${((seconds / idleSeconds / waiting) * 100).toFixed(4)} %`;
  console.log(
    `${waiting} waiting POS systems: ${kilobytes.toFixed(1)} KB each; ${share(extra.server)} of a core each, of the database ${share(extra.database)}`,
  );
  console.log(`from sending the insert to the POS: ${times(latencies.slice(0, orders))}`);
  console.log(`a plain read of the store meanwhile: ${times(plainReads)}`);
}
