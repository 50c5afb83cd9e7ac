import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EventFeed } from '../src/events/feed.ts';
import { cpuSeconds } from '../support/cpu.ts';
import type { Database } from '../support/database.ts';
import { readOptions } from '../support/options.ts';
import { type Program, runProgram } from '../support/program.ts';
import { createKey, importDocuments } from '../support/servers.ts';
import { importStores, menuBody, ordersOf, storeIds, storesOf } from './beside/data.ts';
import { createClient, inParallel, type Request, sendExpecting, textOf } from './support/client.ts';
import { type Figures, figuresOf, machine, measure, medianOf } from './support/meter.ts';

const { rounds, requests, seconds, orders } = readOptions(
  `Measures what the event log costs, by turns on the same server and database: without its triggers, with positions that are given at the commit
under one lock, as up to version 0.1.0 ("lock"), and as it is ("inbox"). It prints commits a second over 8 and 32 connections in 100 stores, the CPU of
the server and of the database per write, and an import. A part is skipped if its option is 0.`,
  { rounds: 3, requests: 400, seconds: 3, orders: 300_000 },
);
const connections = 8;
const modes = ['none', 'lock', 'inbox'] as const;
type Mode = (typeof modes)[number];
const byMode = <T>(create: (mode: Mode) => T): Record<Mode, T> => ({
  none: create('none'),
  lock: create('lock'),
  inbox: create('inbox'),
});
const isInStock = (store: string) => JSON.parse(menuBody('small', store)).items[0].in_stock;
/** Those whose first item can be ordered. */
const stores = storesOf.small.written.filter(isInStock);

const triggers = {
  orders: ['inserted', 'updated', 'deleted', 'truncated'].map(name => `orders_${name}_events`),
  store: ['inserted', 'updated', 'deleted'].map(name => `store_events_${name}`),
};
const tables = { none: 'event_inbox', lock: 'event', inbox: 'event_inbox' };

/** The trigger that gives a position at the commit fires for events that have none. */
async function setLog(database: Database, mode: Mode): Promise<void> {
  for (const [table, names] of Object.entries(triggers)) {
    for (const name of names) {
      await database.query(`alter table ${table} ${mode === 'none' ? 'disable' : 'enable'} trigger ${name}`);
    }
  }
  for (const name of ['log_order_events()', 'log_store_events()']) {
    const [found] = await database.query('select pg_get_functiondef($1::regprocedure) as text', [name]);
    await database.query(String(found?.text).replaceAll(/insert into event\w* /g, `insert into ${tables[mode]} `));
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
  graphql('mutation ($id: ID!) { changeOrderStatus(input: { orderId: $id, to: ACCEPTED }) { order { status } } }', {
    id: orderId,
  });

const post = (turn: number): Request => ({
  path: `/v1/stores/${storeOf(turn)}/menu_configuration/`,
  body: menuBody('small', storeOf(turn), turn + 1),
});

const print = (name: string, figures: Record<Mode, Figures[]>) => {
  const { none, lock, inbox } = byMode(mode => medianOf(figures[mode]));
  const row = (pick: (figures: Figures) => number, digits: number) => {
    const values = [none, lock, inbox].map(pick);
    return `${values.map(value => value.toFixed(digits)).join(' / ')} (${(pick(inbox) / pick(lock)).toFixed(2)}×)`;
  };
  console.log(
    `${name.padEnd(18)} server ${row(({ server }) => server, 2)}, database ${row(({ database }) => database, 2)}, both ${row(({ server, database }) => server + database, 2)} ms CPU; p50 ${row(({ p50 }) => p50, 1)} ms`,
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
    const figures = results.get(name) ?? byMode(() => []);
    results.set(name, figures);
    figures[mode].push(figuresOf([stretch]));
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
  for (const [name, figures] of results) print(name, figures);
}

const insert = `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
  values (gen_random_uuid()::text, $1, now(), 'PENDING', 'Ana', '1', 1, 0, '[]', now(), false, false)`;

/** One order per transaction, until the log has them all. */
async function commitOrders(database: Database, clients: readonly pg.Client[], feed: EventFeed): Promise<number> {
  const begun = performance.now();
  const ends = begun + seconds * 1_000;
  let count = 0;
  const write = async (client: pg.Client) => {
    for (; performance.now() < ends; count++) {
      const store = storeIds[Math.floor(Math.random() * storeIds.length)];
      await client.query({ name: 'insert', text: insert, values: [store] });
      feed.sequence();
    }
  };
  await Promise.all(clients.map(write));
  const waiting = async () => Number((await database.query('select count(*) from event_inbox'))[0]?.count);
  while ((await waiting()) > 0) await sleep(1);
  return (count * 1_000) / (performance.now() - begun);
}

async function compareCommits(database: Database, width: number): Promise<void> {
  const connect = () => new pg.Client(database.env.DATABASE_URL);
  const clients = Array.from({ length: width }, connect);
  await Promise.all(clients.map(client => client.connect()));
  const feed = new EventFeed({ createClient: connect });
  feed.subscribe({ onEvents: () => {} });
  await feed.ready();
  const found = byMode((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const mode of round % 2 ? modes : modes.toReversed()) {
      await setLog(database, mode);
      found[mode].push(await commitOrders(database, clients, feed));
    }
  }
  await feed.close();
  await Promise.all(clients.map(client => client.end()));
  const median = byMode(mode => found[mode].toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0);
  for (const mode of modes) {
    const rates = found[mode].map(rate => rate.toFixed(0)).join(', ');
    const ratio = (median[mode] / median.none).toFixed(2);
    console.log(`commits a second, ${width} connections, ${mode.padEnd(5)}: ${rates} (median ${ratio}× of none)`);
  }
  console.log(`inbox to lock: ${(median.inbox / median.lock).toFixed(2)}×`);
}

async function compareImports(database: Database): Promise<void> {
  for (const mode of modes) {
    await setLog(database, mode);
    const [cpu, begun] = [cpuSeconds(database.pid), performance.now()];
    await importDocuments('orders', ordersOf(orders), database.env);
    const elapsed = (performance.now() - begun) / 1000;
    console.log(
      `import of ${orders} orders, ${mode}: ${elapsed.toFixed(1)} s, database ${(cpuSeconds(database.pid) - cpu).toFixed(1)} s CPU`,
    );
    await database.query('truncate orders');
  }
}

await runProgram(async program => {
  const database = await program.startDatabase();
  console.log(JSON.stringify(machine()));
  await importStores(database.env);
  if (seconds > 0) for (const width of [8, 32]) await compareCommits(database, width);
  if (requests > 0) await program.runPart(part => compareRequests(part, database));
  if (orders > 0) await compareImports(database);
  console.log(JSON.stringify(machine().load));
});
