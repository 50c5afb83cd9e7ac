import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../support/cpu.ts';
import type { Database } from '../support/database.ts';
import { readOptions } from '../support/options.ts';
import { type Program, runProgram } from '../support/program.ts';
import { createKey } from '../support/servers.ts';
import { importStores, menuBody, storesOf } from './beside/data.ts';
import { type Client, createClient, inParallel, sendExpecting, textOf } from './support/client.ts';
import { machine, median } from './support/meter.ts';

const { rounds, orders } = readOptions(
  `Measures what an order costs from its placing to its end: placed, accepted, ready and fulfilled, four transactions and four events, over 8 connections;
first without, then with a webhook for every event. It prints the CPU of the server and of the database and the WAL of an order, as medians of --rounds
with as many --orders, and the disk space that each table takes for an order.`,
  { rounds: 3, orders: 500 },
);
const connections = 8;
const isInStock = (store: string) => JSON.parse(menuBody('small', store)).items[0].in_stock;
/** Those whose first item can be ordered. */
const stores = storesOf.small.written.filter(isInStock);
/** Tomorrow, when the menus are available. */
const noon = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000);
const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
const changeStatus =
  'mutation ($id: ID!, $to: OrderStatus!) { changeOrderStatus(input: { orderId: $id, to: $to }) { order { id } } }';
const createWebhook = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
const statuses = ['ACCEPTED', 'READY', 'FULFILLED'];
const eventsOfOrder = 1 + statuses.length;

async function graphql(client: Client, query: string, variables: object): Promise<string> {
  const request = { path: '/graphql', body: JSON.stringify({ query, variables }) };
  const body = textOf(await sendExpecting(client, request, 200));
  if (body.startsWith('{"errors')) throw new Error(body);
  return body;
}

let keys = 0;
async function serveOrder(client: Client, turn: number): Promise<void> {
  const lines = [{ itemExternalId: 'item-0', quantity: 1 }];
  const customer = { name: 'Ana Lima', phone: '+351 912 345 678' };
  const order = { storeId: stores[turn % stores.length], idempotencyKey: `key-${keys++}`, readyBy: noon };
  const placed = await graphql(client, placeOrder, { input: { ...order, customer, lines } });
  const id = /"id":"([^"]+)"/.exec(placed)?.[1];
  for (const to of statuses) await graphql(client, changeStatus, { id, to });
}

/** Counts what webhooks deliver. */
async function startReceiver({ atEnd }: Program) {
  let count = 0;
  const server = createServer(async (request, response) => {
    await text(request);
    count += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, count: () => count };
}

const walOf = async (database: Database) =>
  Number((await database.query("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes"))[0]?.bytes);

/** Without what updated rows leave behind until they are vacuumed. */
async function printSizes(database: Database): Promise<void> {
  await database.query('vacuum full');
  const rows = await database.query(
    `select relname as name, pg_total_relation_size(oid) / (select count(*) from orders) as bytes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc`,
  );
  const large = rows.filter(({ name, bytes }) => Number(bytes) > 50 && /order|event|webhook/.test(String(name)));
  console.log(`bytes of an order with its indexes: ${large.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`);
}

await runProgram(async program => {
  const database = await program.startDatabase();
  console.log(JSON.stringify(machine()));
  await importStores(database.env);
  const networks = { CARTE_WEBHOOK_ALLOW_HTTP: 'on', CARTE_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32' };
  const server = await program.startServer({ ...database.env, ...networks });
  const client = createClient(server.url, await createKey(database.env, '--can', 'menu,orders,admin'), connections);
  program.atEnd(() => client.close());
  const receiver = await startReceiver(program);
  for (const store of stores) {
    const body = menuBody('small', store);
    await sendExpecting(client, { path: `/v1/stores/${store}/menu_configuration/`, body }, 200);
  }
  const run = async (deliveries: number) => {
    const received = receiver.count() + deliveries;
    const [wal, begun] = [await walOf(database), performance.now()];
    const cpu = [cpuSeconds(server.child.pid), cpuSeconds(database.pid)] as const;
    await inParallel(
      connections,
      turn => turn < orders,
      turn => serveOrder(client, turn),
    );
    const inInbox = async () => Number((await database.query('select count(*) from event_inbox'))[0]?.count);
    while ((await inInbox()) > 0 || receiver.count() < received) await sleep(20);
    return {
      server: ((cpuSeconds(server.child.pid) - cpu[0]) * 1_000) / orders,
      database: ((cpuSeconds(database.pid) - cpu[1]) * 1_000) / orders,
      wal: ((await walOf(database)) - wal) / orders,
      perSecond: (orders * 1_000) / (performance.now() - begun),
    };
  };
  type Cost = Awaited<ReturnType<typeof run>>;
  const measure = async (name: string, deliveries: number) => {
    await run(deliveries);
    const costs: Cost[] = [];
    for (let round = 0; round < rounds; round++) costs.push(await run(deliveries));
    const of = (pick: (cost: Cost) => number) => median(costs.map(pick));
    const cpu = `server ${of(cost => cost.server).toFixed(1)}, database ${of(cost => cost.database).toFixed(1)} ms CPU`;
    const wal = `${(of(cost => cost.wal) / 1024).toFixed(1)} KiB of WAL`;
    console.log(`${name}: an order takes ${cpu}, ${wal}; ${of(cost => cost.perSecond).toFixed(0)} orders a second`);
  };
  await measure('without webhooks', 0);
  for (const storeId of stores) {
    const input = { url: receiver.url, storeId, kinds: ['ORDER_PLACED', 'ORDER_CHANGED'] };
    await graphql(client, createWebhook, { input });
  }
  await measure('with a webhook', eventsOfOrder * orders);
  await printSizes(database);
  console.log(JSON.stringify(machine().load));
});
