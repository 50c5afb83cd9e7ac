import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import {
  createKey,
  type Environment,
  importDocuments,
  type Server,
  startCheckout,
  startProgram,
} from '../support/servers.ts';
import { type Candidates, checkEquality, measureCase } from './beside/candidates.ts';
import { type Case, casesWith } from './beside/cases.ts';
import { importStores, menuBody, ordersOf, type Size, storesOf } from './beside/data.ts';
import { prebuild } from './beside/prebuilt.ts';
import { type CaseResult, figureTable, mediansOf, ratioTable } from './beside/table.ts';
import { type Client, createClient, sendExpecting } from './support/client.ts';
import { machine, peakMemory } from './support/meter.ts';

const options = readOptions(
  `Compares Carte with the minimum that a response costs in Node, and with a hand-written SQL server, on the same data; bench/README.md describes
the --cases, of which it runs those that match. --json names a file for every round. With --before it compares Carte with another checkout of it
instead, with installed dependencies and the same schema, and that one with itself.`,
  { rounds: 3, seconds: 3, cases: '.', orders: 100_000, json: '', before: '' },
);
const pace = { rounds: options.rounds, seconds: options.seconds, connections: 8 };
const totalOrders = options.orders;
const cases = casesWith(totalOrders)
  .filter(({ name }) => new RegExp(options.cases).test(name))
  .map((tested): Case => (options.before ? { ...tested, servers: ['carte', 'before', 'again'] } : tested));
const say = (text: string) => void process.stderr.write(`${text}\n`);

const limitServer = fileURLToPath(new URL('./beside/limit-server.ts', import.meta.url));
const sqlServer = fileURLToPath(new URL('./beside/sql-server.ts', import.meta.url));

async function fill(env: Environment): Promise<void> {
  say(`Importing 20 merchants, 100 stores and ${totalOrders} orders`);
  await importStores(env);
  await importDocuments('orders', ordersOf(totalOrders), env);
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
async function* responsesTo(recorded: readonly Case[], client: Client): AsyncGenerator<string> {
  for (const { requests } of recorded.filter(({ servers }) => servers.includes('limit'))) {
    for (const request of requests()) yield prebuild(request, await sendExpecting(client, request, 200));
  }
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
  if (!options.json) return;
  const rows = results.map(({ name, rounds }) => ({
    name,
    medians: Object.fromEntries(mediansOf(rounds)),
    rounds: Object.fromEntries(rounds),
  }));
  await writeFile(
    options.json,
    JSON.stringify({ at: new Date(), circumstances, pace, totalOrders, cases: rows }, null, 2),
  );
}

await runProgram(async ({ folder, run, startDatabase, startServer }) => {
  const { env, query, pid: databasePid } = await startDatabase();
  await fill(env);
  const key = await createKey(env, '--write');
  const candidate = (server: Server) => ({
    client: createClient(server.url, key, pace.connections),
    serverPid: server.child.pid,
    databasePid,
  });
  const elsewhere = candidate(await startServer(env)).client;
  await postMenus(elsewhere);
  await query('vacuum analyze');
  const carteServer = await startServer(env);
  const ours = candidate(carteServer);
  const startBefore = async () => candidate(await run(startCheckout(options.before, env)));
  const others = async (): Promise<Partial<Candidates>> => {
    if (options.before) return { before: await startBefore(), again: await startBefore() };
    const responses = join(folder, 'responses.ndjson');
    await writeFile(responses, responsesTo(cases, ours.client));
    return {
      limit: candidate(await run(startProgram([limitServer, responses], {}))),
      sql: candidate(await run(startProgram([sqlServer], { ...env, BENCH_KEY: key }))),
    };
  };
  const candidates: Candidates = { ...(await others()), carte: ours, elsewhere };
  say('Comparing responses');
  for (const tested of cases) await checkEquality(tested, candidates);

  const before = machine();
  const results: CaseResult[] = [];
  for (const tested of cases) {
    results.push({ name: tested.name, rounds: await measureCase(tested, candidates, pace, say) });
  }
  await report(results, { ...before, loadAfter: machine().load, peakMemory: peakMemory(carteServer.child.pid) });
});
