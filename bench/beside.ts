/**
 * Compares Carte with the minimum that a response costs in Node, and with a hand-written SQL server, on the same data:
 *   npx node bench/beside.ts [--rounds 3] [--seconds 3] [--cases 'tree|order'] [--orders 100000] [--json FILE] [--before FOLDER]
 * bench/README.md describes the cases. It starts its own database and servers. With --before it compares Carte with
 * another checkout of it instead, with installed dependencies and the same schema.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BenchDatabase, startDatabase } from '../support/database.ts';
import { carte, type Server, startCheckout, startProgram, startServer, stopServer } from '../support/servers.ts';
import { type Case, casesWith } from './beside/cases.ts';
import { type Contestants, checkEquality, contest } from './beside/contest.ts';
import { menuBody, merchantLines, orderLines, type Size, storeLines, storesOf } from './beside/data.ts';
import { prebuild } from './beside/prebuilt.ts';
import { type CaseResult, figureTable, mediansOf, ratioTable } from './beside/table.ts';
import { type Client, createClient, sendExpecting } from './support/client.ts';
import { machine, peakMemory } from './support/meter.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    cases: { type: 'string', default: '.' },
    orders: { type: 'string', default: '100000' },
    json: { type: 'string' },
    before: { type: 'string' },
  },
});
const pace = { rounds: Number(values.rounds), seconds: Number(values.seconds), connections: 8 };
const totalOrders = Number(values.orders);
const cases = casesWith(totalOrders)
  .filter(({ name }) => new RegExp(values.cases).test(name))
  .map((tested): Case => (values.before ? { ...tested, servers: ['carte', 'before'] } : tested));
const folder = mkdtempSync(join(tmpdir(), 'carte-beside-'));
const running: Server[] = [];
const say = (text: string) => void process.stderr.write(`${text}\n`);

async function start(server: Promise<Server>): Promise<Server> {
  running.push(await server);
  return server;
}

const limitServer = fileURLToPath(new URL('./beside/limit-server.ts', import.meta.url));
const sqlServer = fileURLToPath(new URL('./beside/sql-server.ts', import.meta.url));

async function fill(database: BenchDatabase): Promise<void> {
  say(`Importing 20 merchants, 100 stores and ${totalOrders} orders`);
  await database.importDocuments('merchants', merchantLines());
  await database.importDocuments('stores', storeLines());
  await database.importDocuments('orders', orderLines(totalOrders));
}

async function postMenus(client: Client): Promise<void> {
  say('Posting 16 mid and 32 small menus');
  for (const size of Object.keys(storesOf) as Size[]) {
    for (const id of [...storesOf[size].read, ...storesOf[size].written]) {
      await sendExpecting(client, { path: `/v1/stores/${id}/menu_configuration/`, body: menuBody(size, id) }, 200);
    }
  }
}

/** Records Carte's response to every request, for the limit server to replay. */
async function* answersTo(asked: readonly Case[], client: Client): AsyncGenerator<string> {
  for (const { requests } of asked.filter(({ servers }) => servers.includes('limit'))) {
    for (const request of requests()) yield prebuild(request, await sendExpecting(client, request, 200));
  }
}

async function main(database: BenchDatabase): Promise<void> {
  await fill(database);
  const key = await carte(['key', 'create', '--name', 'bench', '--all', '--write'], database.env);
  const contestant = (server: Server) => ({
    client: createClient(server.url, key, pace.connections),
    serverPid: server.child.pid,
    databasePid: database.pid,
  });
  const carteServer = await start(startServer(database.env));
  const ours = contestant(carteServer);
  await postMenus(ours.client);
  await database.query('vacuum analyze');
  const others = async (): Promise<Partial<Contestants>> => {
    if (values.before) return { before: contestant(await start(startCheckout(values.before, database.env))) };
    const answers = join(folder, 'answers.ndjson');
    await writeFile(answers, answersTo(cases, ours.client));
    return {
      limit: contestant(await start(startProgram([limitServer, answers], {}))),
      sql: contestant(await start(startProgram([sqlServer], { ...database.env, BENCH_KEY: key }))),
    };
  };
  const elsewhere = contestant(await start(startServer(database.env))).client;
  const contestants: Contestants = { ...(await others()), carte: ours, elsewhere };
  say('Comparing answers');
  for (const tested of cases) await checkEquality(tested, contestants);

  const before = machine();
  const results: CaseResult[] = [];
  for (const tested of cases) {
    results.push({ name: tested.name, rounds: await contest(tested, contestants, pace, say) });
  }
  await report(results, { ...before, loadAfter: machine().load, peakMemory: peakMemory(carteServer.child.pid) });
}

type Circumstances = ReturnType<typeof machine> & {
  readonly loadAfter: readonly number[];
  readonly peakMemory: number;
};

async function report(results: readonly CaseResult[], circumstances: Circumstances): Promise<void> {
  const { node, processor, cores, load, loadAfter, peakMemory: peak } = circumstances;
  console.log(`${new Date().toISOString()}, Node ${node}, ${cores} cores (${processor})`);
  console.log(`Load average before ${load.join(' ')}, after ${loadAfter.join(' ')}`);
  console.log(`Medians of ${pace.rounds} rounds of ${pace.seconds} s; connections: ${pace.connections}`);
  console.log(`Peak memory of Carte's process: ${peak} MiB\n`);
  console.log(`${ratioTable(results)}\n\n${figureTable(results)}`);
  if (!values.json) return;
  const rows = results.map(({ name, rounds }) => ({
    name,
    medians: Object.fromEntries(mediansOf(rounds)),
    rounds: Object.fromEntries(rounds),
  }));
  await writeFile(
    values.json,
    JSON.stringify({ at: new Date(), circumstances, pace, totalOrders, cases: rows }, null, 2),
  );
}

try {
  const database = await startDatabase(folder);
  try {
    await main(database);
  } finally {
    await Promise.all(running.map(stopServer));
    await database.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
