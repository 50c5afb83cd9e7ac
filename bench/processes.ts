/**
 * Compares one process with two by requests per second, and counts failed requests when one of two is killed under load:
 *   npx node bench/processes.ts [--seconds 5] [--rounds 3] [--connections 16]
 * The database and the load run on the same machine. On two cores they use what a second process could use, so the ratio
 * shows the remaining headroom, not the gain of a second process; the CPU time per request shows its cost.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../src/database/embedded.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { carte, type Server, startServer, stopServer } from '../support/servers.ts';
import { runLoad, type Tally, type Task } from './support/processes/load.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const folder = mkdtempSync(join(tmpdir(), 'carte-processes-'));
const env = { CARTE_DATA: folder, PORT: '0' };
const store = 'lisbon-baixa';
const graphql = readFileSync(new URL('queries/orders.graphql', import.meta.url), 'utf8');
const failuresOf = ({ failures }: Tally) => Object.values(failures).reduce((sum, count) => sum + count, 0);

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly body?: string;
}

const kinds: readonly Kind[] = [
  { name: 'menu tree', path: `/v1/stores/${store}/menu_configuration/` },
  { name: 'order list', path: `/v1/stores/${store}/orders/?page_size=20` },
  { name: 'GraphQL orders', path: '/graphql', body: JSON.stringify({ query: graphql, variables: { store } }) },
];

function taskOf({ url }: Server, key: string, { path, body }: Kind): Task {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return { url: url + path, headers, connections, seconds, ...(body !== undefined && { body }) };
}

interface Round {
  readonly rate: number;
  /** CPU seconds of the service per second of load. */
  readonly busy: number;
  readonly bad: number;
}

async function measure(processes: number, key: string): Promise<readonly Round[]> {
  const server = await startServer({ ...env, CARTE_PROCESSES: String(processes) });
  const rounds: Round[] = [];
  for (const kind of kinds) {
    await runLoad(taskOf(server, key, kind));
    const before = cpuSeconds(server.child.pid);
    const tally = await runLoad(taskOf(server, key, kind));
    const busy = (cpuSeconds(server.child.pid) - before) / tally.seconds;
    rounds.push({ rate: tally.answers / tally.seconds, busy, bad: tally.wrong + failuresOf(tally) });
  }
  await stopServer(server);
  return rounds;
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** Returns the number of wrong responses. */
async function compare(key: string): Promise<number> {
  const one: (readonly Round[])[] = [];
  const two: (readonly Round[])[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    one.push(await measure(1, key));
    two.push(await measure(2, key));
  }
  for (const [index, { name }] of kinds.entries()) {
    const of = (all: readonly (readonly Round[])[], what: keyof Round) =>
      median(all.map(each => each[index]?.[what] ?? 0));
    const [a, b] = [of(one, 'rate'), of(two, 'rate')];
    const [busy, busier] = [of(one, 'busy'), of(two, 'busy')];
    console.log(`${name}: ${a.toFixed(0)} and ${b.toFixed(0)} requests/s, ratio ${(b / a).toFixed(2)}`);
    console.log(`  the service used ${busy.toFixed(2)} and ${busier.toFixed(2)} cores`);
    console.log(`  CPU per request ${((busy / a) * 1000).toFixed(2)} and ${((busier / b) * 1000).toFixed(2)} ms`);
  }
  return [...one, ...two].flat().reduce((sum, { bad }) => sum + bad, 0);
}

async function processesOf({ url }: Server): Promise<readonly number[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/^process_start_time_seconds\{process="(\d+)"\}/gm)].map(([, pid]) => Number(pid));
}

/** Returns the number of wrong responses; broken connections to the killed process are expected. */
async function killOne(key: string): Promise<number> {
  const server = await startServer({ ...env, CARTE_PROCESSES: '2' }, () => {});
  const [tree] = kinds;
  if (!tree) return 0;
  const loading = runLoad({ ...taskOf(server, key, tree), seconds: seconds * 2 });
  await sleep(seconds * 500);
  const [victim = 0] = await processesOf(server);
  process.kill(victim, 'SIGKILL');
  const killed = performance.now();
  const isWhole = (pids: readonly number[]) => pids.length === 2 && !pids.includes(victim);
  while (!isWhole(await processesOf(server))) await sleep(50);
  const whole = ((performance.now() - killed) / 1_000).toFixed(1);
  const tally = await loading;
  await stopServer(server);
  console.log(`one of two killed under ${connections} connections: ${tally.answers} responses, ${tally.wrong} wrong`);
  console.log(`  without a response: ${JSON.stringify(tally.failures)}; two processes again after ${whole} s`);
  return tally.wrong;
}

try {
  const database = await startEmbedded({ dataFolder: folder });
  await stopServer(await startServer(env));
  const key = await carte(['key', 'create', '--name', 'bench', '--all'], env);
  console.log(`${availableParallelism()} cores for the service, its database and the load`);
  const bad = (await compare(key)) + (await killOne(key));
  await database.stop();
  console.log(`${bad} unexpected failures`);
  process.exitCode = bad > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
