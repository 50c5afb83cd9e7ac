/**
 * Injects faults into the service and its database under mixed load, and checks the responses:
 *   npx node drills/faults.ts [--kills 50] [--faults 1] [--terms 5] [--soak MINUTES] [--workers 16]
 * A part is skipped if its option is 0. It starts its own database and servers.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { carte, startServer, stopServer } from '../support/servers.ts';
import { soak } from './faults/soak.ts';
import { checkHistory } from './support/history.ts';
import { type Load, startLoad, type Target, tally } from './support/load.ts';
import { marksIn, revisionIn } from './support/menu.ts';
import { joinPostgres, type Postgres } from './support/postgres.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    faults: { type: 'string', default: '1' },
    terms: { type: 'string', default: '5' },
    soak: { type: 'string', default: '0' },
    workers: { type: 'string', default: '16' },
  },
});
const workers = Number(values.workers);
const folder = mkdtempSync(join(tmpdir(), 'carte-faults-'));
const problems: string[] = [];
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Kills the server under load repeatedly; no acknowledged write may be lost. */
async function killServers(env: Record<string, string>, target: Target, kills: number): Promise<void> {
  let server = await startServer(env);
  const load = startLoad(target, workers);
  const restarts: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + Math.random() * 1_200);
    server.child.kill('SIGKILL');
    const begun = performance.now();
    server = await startServer(env);
    restarts.push(performance.now() - begun);
  }
  await sleep(1_000);
  await load.stop();
  await checkLoad('server killed', target, load);
  await stopServer(server);
  const sorted = restarts.toSorted((a, b) => a - b);
  const at = (share: number) => `${((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(2)} s`;
  console.log(`  ${kills} kills; from start to ready: median ${at(0.5)}, slowest ${at(1)}`);
}

const waysToHarm: Readonly<Record<string, (postgres: Postgres) => Promise<void>>> = {
  'PostgreSQL stopped immediately': postgres => postgres.stopImmediately(),
  'PostgreSQL killed': postgres => postgres.kill(),
  'all backends terminated': postgres => postgres.terminateBackends(),
  'PostgreSQL frozen for 5 s': postgres => postgres.freeze(5_000),
};

async function harmDatabase(env: Record<string, string>, target: Target, postgres: Postgres): Promise<void> {
  const server = await startServer(env);
  for (const [name, harm] of Object.entries(waysToHarm)) {
    const load = startLoad(target, workers);
    await sleep(2_000);
    const begun = performance.now();
    await harm(postgres);
    const harmed = performance.now();
    const lastFailure = () => load.asks.findLast(ask => ask.status !== 200 && ask.ended > begun)?.ended ?? harmed;
    const hasRecovered = () =>
      performance.now() - lastFailure() > 2_000 && (load.asks.at(-1)?.ended ?? 0) > lastFailure();
    while (!hasRecovered() && performance.now() - harmed < 60_000) await sleep(10);
    if (!hasRecovered()) problems.push(`${name}: no recovery within a minute`);
    await load.stop();
    await checkLoad(name, target, load);
    if (server.child.exitCode !== null) problems.push(`${name}: the server exited with ${server.child.exitCode}`);
    const firstGood = load.asks.find(ask => ask.status === 200 && ask.begun >= lastFailure());
    const seconds = (from: number, to = Number.NaN) => ((to - from) / 1000).toFixed(2);
    console.log(
      `  the fault took ${seconds(begun, harmed)} s; only 200 from ${seconds(harmed, firstGood?.ended)} s after it`,
    );
  }
  await stopServer(server);
}

/** Sends SIGTERM under load: accepted requests must get their responses, new connections may be refused. */
async function endServers(env: Record<string, string>, target: Target, rounds: number): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(env);
    const load = startLoad(target, workers);
    await sleep(1_500);
    const begun = performance.now();
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    const [code] = await ended;
    took.push(performance.now() - begun);
    await load.stop();
    const dropped = load.asks.filter(ask => ask.status !== 200 && ask.failure !== 'ECONNREFUSED');
    console.log(`SIGTERM: ${JSON.stringify(tally(load.asks))}, exit status ${code}, ${dropped.length} dropped`);
    if (dropped.length > 0 || code !== 0) problems.push(`SIGTERM: ${JSON.stringify(tally(dropped))}, status ${code}`);
    problems.push(...load.problems);
  }
  console.log(`  slowest shutdown ${(Math.max(...took) / 1000).toFixed(2)} s`);
}

async function checkLoad(name: string, { url, key, contested }: Target, load: Load): Promise<void> {
  const answer = await fetch(`${url}/v1/stores/${contested}/menu_configuration/`, { headers: { 'x-api-key': key } });
  const final = { marks: marksIn(await answer.text()), revision: revisionIn(answer.headers.get('etag')) };
  const acknowledged = load.writes.filter(write => write.revision !== undefined).length;
  const faults = [...load.problems, ...(acknowledged > 0 ? checkHistory(load.writes, load.reads, final) : [])];
  console.log(`${name}: ${JSON.stringify(tally(load.asks))}`);
  console.log(`  ${acknowledged} writes acknowledged, ${load.reads.length} reads, ${faults.length} violations`);
  problems.push(...faults.map(fault => `${name}: ${fault}`));
}

async function main(): Promise<void> {
  const postgres = await joinPostgres(folder);
  const env = { CARTE_DATA: folder, PORT: String(await freePort()), CARTE_LOG_LEVEL: 'error' };
  // The first start loads the demo's stores and orders.
  const first = await startServer(env);
  const file = join(folder, 'store.ndjson');
  writeFileSync(file, JSON.stringify({ id: 'contested', name: { translations: { en: 'Contested' } } }));
  await carte(['import', 'stores', file], env);
  const key = await carte(['key', 'create', '--name', 'bench', '--all', '--write'], env);
  await stopServer(first);
  const target = { url: first.url, key, contested: 'contested', busy: 'lisbon-baixa' };
  if (Number(values.kills) > 0) await killServers(env, target, Number(values.kills));
  for (let round = 0; round < Number(values.faults); round++) await harmDatabase(env, target, postgres);
  if (Number(values.terms) > 0) await endServers(env, target, Number(values.terms));
  const minutes = Number(values.soak);
  if (minutes > 0) problems.push(...(await soak(env, target, { minutes, workers })).problems);
  await postgres.leave();
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(
  problems.length === 0 ? 'no violation' : `${problems.length} violations, e.g.\n${problems.slice(0, 10).join('\n')}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
