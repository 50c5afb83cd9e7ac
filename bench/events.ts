import pg from 'pg';
import { cpuSeconds } from '../support/cpu.ts';
import type { Database } from '../support/database.ts';
import { readOptions } from '../support/options.ts';
import { type Program, runProgram } from '../support/program.ts';
import { createKey, importDocuments } from '../support/servers.ts';
import { importStores, menuBody, ordersOf, storesOf } from './beside/data.ts';
import { createClient, inParallel, type Request, sendExpecting, textOf } from './support/client.ts';
import { type Figures, figuresOf, machine, measure, medianOf } from './support/meter.ts';

const { rounds, requests, orders } = readOptions(
  `Measures what the event log costs: writes with its triggers and without them, alternately, on the same server and database. It prints the CPU of the
server and of the database per write, the throughput of small commits over 8 connections, and an import.`,
  { rounds: 3, requests: 400, orders: 300_000 },
);
const connections = 8;
const modes = ['without', 'with'] as const;
type Mode = (typeof modes)[number];
const isInStock = (store: string) => JSON.parse(menuBody('small', store)).items[0].in_stock;
/** Those whose first item can be ordered. */
const stores = storesOf.small.written.filter(isInStock);

const triggers = {
  orders: ['inserted', 'updated', 'deleted', 'truncated'].map(name => `order_events_${name}`),
  store: ['inserted', 'updated', 'deleted'].map(name => `store_events_${name}`),
};

async function setLog(database: Database, mode: Mode): Promise<void> {
  for (const [table, names] of Object.entries(triggers)) {
    for (const name of names) {
      await database.query(`alter table ${table} ${mode === 'with' ? 'enable' : 'disable'} trigger ${name}`);
    }
  }
}

const graphql = (query: string, variables: object): Request => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
});
const storeOf = (turn: number) => stores[turn % stores.length] ?? '';
let keys = 0;
/** Tomorrow, when the menus are available. */
const noon = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000);

function placeOrder(turn: number): Request {
  const lines = [{ itemExternalId: 'item-0', quantity: 1 }];
  const customer = { name: 'Ana Lima', phone: '+351 912 345 678' };
  const input = {
    storeId: storeOf(turn),
    idempotencyKey: `key-${keys++}`,
    customer,
    readyBy: noon,
    lines,
  };
  return graphql('mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }', { input });
}

const changeStatus = (orderId: string) =>
  graphql('mutation ($id: ID!) { changeOrderStatus(orderId: $id, to: ACCEPTED) { order { status } } }', {
    id: orderId,
  });

const post = (turn: number): Request => ({
  path: `/v1/stores/${storeOf(turn)}/menu_configuration/`,
  body: menuBody('small', storeOf(turn), turn + 1),
});

const print = (name: string, byMode: Record<Mode, Figures[]>) => {
  const [before, after] = modes.map(mode => medianOf(byMode[mode]));
  if (!before || !after) return;
  const pair = (pick: (figures: Figures) => number, digits: number) =>
    `${pick(before).toFixed(digits)} → ${pick(after).toFixed(digits)} (${(pick(after) / pick(before)).toFixed(2)}×)`;
  const total = pair(figures => figures.server + figures.database, 2);
  console.log(
    `${name.padEnd(18)} server ${pair(figures => figures.server, 2)}, database ${pair(figures => figures.database, 2)}, both ${total} ms CPU; p50 ${pair(figures => figures.p50, 1)} ms`,
  );
};

async function compareRequests(program: Program, database: Database): Promise<void> {
  const key = await createKey(database.env, '--can', 'menu,orders,stock');
  const server = await program.startServer(database.env);
  const client = createClient(server.url, key, connections);
  program.atEnd(() => client.close());
  const watched = { serverPid: server.child.pid, databasePid: database.pid };
  const results = new Map<string, Record<Mode, Figures[]>>();
  const run = async (name: string, mode: Mode, request: (turn: number) => Request) => {
    const bodies: string[] = [];
    const stretch = await measure(watched, onResponse =>
      inParallel(
        connections,
        turn => turn < requests,
        async turn => {
          const response = await sendExpecting(client, request(turn), 200);
          onResponse(response);
          bodies.push(textOf(response).slice(0, 200));
        },
      ),
    );
    if (bodies.some(body => body.startsWith('{"errors')))
      throw new Error(bodies.find(body => body.startsWith('{"errors')));
    const byMode = results.get(name) ?? { without: [], with: [] };
    results.set(name, byMode);
    byMode[mode].push(figuresOf([stretch]));
    return bodies;
  };
  for (let turn = 0; turn < stores.length; turn++) await sendExpecting(client, post(turn), 200);
  let version = 1;
  for (let round = 0; round < rounds + 1; round++) {
    if (round === 1) results.clear();
    for (const mode of round % 2 ? modes : modes.toReversed()) {
      await setLog(database, mode);
      const base = version++ * requests;
      await run('POST, small', mode, turn => post(base + turn));
      const placed = await run('placeOrder', mode, placeOrder);
      const ids = placed.map(body => /"id":"([^"]+)"/.exec(body)?.[1] ?? '');
      await run('changeOrderStatus', mode, turn => changeStatus(ids[turn] ?? ''));
    }
  }
  for (const [name, byMode] of results) print(name, byMode);
}

/** One order per transaction, in as many stores as there are connections, so that only the commits meet. */
async function compareCommits(database: Database): Promise<void> {
  const clients = await Promise.all(
    stores.slice(0, connections).map(async store => {
      const client = new pg.Client(database.env.DATABASE_URL);
      await client.connect();
      return { client, store };
    }),
  );
  const text = `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
    values (gen_random_uuid()::text, $1, now(), 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false)`;
  const found: Record<Mode, { perSecond: number; cpu: number }[]> = { without: [], with: [] };
  for (let round = 0; round < rounds; round++) {
    for (const mode of modes) {
      await setLog(database, mode);
      const [cpu, begun] = [cpuSeconds(database.pid), performance.now()];
      const each = requests / 2;
      await Promise.all(
        clients.map(async ({ client, store }) => {
          for (let turn = 0; turn < each; turn++) await client.query({ name: 'insert', text, values: [store] });
        }),
      );
      const count = each * clients.length;
      found[mode].push({
        perSecond: (count * 1000) / (performance.now() - begun),
        cpu: ((cpuSeconds(database.pid) - cpu) * 1000) / count,
      });
    }
  }
  await Promise.all(clients.map(({ client }) => client.end()));
  for (const mode of modes) {
    const lines = found[mode].map(({ perSecond, cpu }) => `${perSecond.toFixed(0)}/s, ${cpu.toFixed(2)} ms CPU`);
    console.log(`commits over ${connections} connections, ${mode} the log: ${lines.join('; ')}`);
  }
}

async function compareImports(database: Database): Promise<void> {
  for (const mode of [...modes, ...modes.toReversed()]) {
    await setLog(database, mode);
    const [cpu, begun] = [cpuSeconds(database.pid), performance.now()];
    await importDocuments('orders', ordersOf(orders), database.env);
    const seconds = (performance.now() - begun) / 1000;
    console.log(
      `import of ${orders} orders ${mode} the log: ${seconds.toFixed(1)} s, database ${(cpuSeconds(database.pid) - cpu).toFixed(1)} s CPU`,
    );
    await database.query('truncate orders');
  }
}

await runProgram(async program => {
  const database = await program.startDatabase();
  console.log(JSON.stringify(machine()));
  await importStores(database.env);
  await program.runPart(part => compareRequests(part, database));
  await compareCommits(database);
  await compareImports(database);
  console.log(JSON.stringify(machine().load));
});
