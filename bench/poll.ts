import { upsertRows } from '../src/database/save.ts';
import { createOrderId, OrderEntity } from '../src/order/entities.ts';
import { createOrm } from '../src/orm.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { createKey, importDocuments } from '../support/servers.ts';

const { seconds, rate, connections } = readOptions(
  `Measures POS systems that poll: --connections read the newest orders of 200 stores while orders are imported at a --rate per second.`,
  { seconds: 30, rate: 200, connections: 32 },
);
const stores = Array.from({ length: 200 }, (_, index) => `store-${index}`);

function order(storeId: string) {
  const createdAt = new Date();
  return {
    id: createOrderId(createdAt),
    store: storeId,
    createdAt,
    status: 'PENDING' as const,
    customerName: 'Ana Lima',
    customerPhone: '+351 912 345 678',
    price: 1200,
    tax: 120,
    items: [{ name: 'Pastel de nata', quantity: 2, note: null }],
    readyBy: createdAt,
    isRead: false,
    inPos: false,
  };
}

await runProgram(async program => {
  const { env, connection, query, pid: databasePid } = await program.startDatabase();
  const documents = stores.map(id => ({ id, name: {} }));
  await importDocuments('stores', documents, env);
  const key = await createKey(env);
  const orm = createOrm(connection);
  program.atEnd(() => orm.close());
  await upsertRows(
    orm.em.fork(),
    OrderEntity,
    stores.flatMap(id => Array.from({ length: 100 }, () => order(id))),
  );
  const server = await program.startServer(env);
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  let failed = 0;
  let imported = 0;

  async function send(path: string, headers: Record<string, string> = {}) {
    const begun = performance.now();
    const response = await fetch(server.url + path, { headers: { 'x-api-key': key, ...headers } });
    const body = await response.text();
    times.push(performance.now() - begun);
    if (response.status !== 200 && response.status !== 304) failed++;
    return { status: response.status, body, etag: response.headers.get('etag') ?? '' };
  }
  const listOf = (id: string | undefined) => `/v1/stores/${id}/orders/?page_size=20`;

  async function poll(): Promise<void> {
    while (performance.now() < end) await send(listOf(stores[Math.floor(Math.random() * stores.length)]));
  }
  async function importOrders(): Promise<void> {
    const started = performance.now();
    while (performance.now() < end) {
      const due = Math.floor(((performance.now() - started) / 1000) * rate) - imported;
      const rows = Array.from({ length: due }, () => order(stores[Math.floor(Math.random() * stores.length)] ?? ''));
      if (due > 0) await upsertRows(orm.em.fork(), OrderEntity, rows);
      imported += due;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  const before = [cpuSeconds(server.child.pid), cpuSeconds(databasePid)] as const;
  await Promise.all([...Array.from({ length: connections }, poll), importOrders()]);
  const after = [cpuSeconds(server.child.pid), cpuSeconds(databasePid)] as const;
  const polls = times.length;
  times.sort((a, b) => a - b);
  console.log(`${polls} polls, ${failed} failed, ${imported} orders imported in ${seconds} s`);
  console.log(`p50 ${times[polls >> 1]?.toFixed(1)} ms, p99 ${times[Math.floor(polls * 0.99)]?.toFixed(1)} ms`);
  const perPoll = (at: 0 | 1) => (((after[at] - before[at]) * 1000) / polls).toFixed(2);
  console.log(`CPU per poll: ${perPoll(0)} ms server, ${perPoll(1)} ms database (including the import)`);

  let wrong = 0;
  for (const id of stores) {
    const { count } = JSON.parse((await send(listOf(id))).body);
    const [row] = await query('select count(*)::int as n from orders where store_id = $1', [id]);
    if (row?.n !== count) wrong++;
  }
  console.log(`${wrong} wrong counts afterwards`);

  await compareConditional();
  process.exitCode = failed + wrong > 0 ? 1 : 0;

  /** CPU of a poll without changes. */
  async function compareConditional(): Promise<void> {
    const { etag } = await send(listOf(stores[0]));
    const rounds = 3000;
    const measure = async (headers: Record<string, string>, status: number) => {
      const begun = [cpuSeconds(server.child.pid), cpuSeconds(databasePid)] as const;
      for (let round = 0; round < rounds / 8; round++) {
        const responses = await Promise.all(Array.from({ length: 8 }, () => send(listOf(stores[0]), headers)));
        if (responses.some(response => response.status !== status)) throw new Error(`not every response is ${status}`);
      }
      const ended = [cpuSeconds(server.child.pid), cpuSeconds(databasePid)] as const;
      return ((ended[0] - begun[0] + ended[1] - begun[1]) * 1000) / rounds;
    };
    const [plain, conditional] = [await measure({}, 200), await measure({ 'if-none-match': etag }, 304)];
    console.log(`CPU per list ${plain.toFixed(2)} ms, per 304 ${conditional.toFixed(2)} ms (server and database)`);
  }
});
