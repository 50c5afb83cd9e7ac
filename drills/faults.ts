import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/failover/postgres.ts';
import { readOptions } from '../support/options.ts';
import { createKey, type Environment, importDocuments, stopServer } from '../support/servers.ts';
import { soak } from './faults/soak.ts';
import { type Drill, runDrill } from './support/harness.ts';
import { acknowledgedIn, checkLoads, countOutcomes, type Load, startLoad, type Target } from './support/load.ts';
import { joinPostgres, type Postgres } from './support/postgres.ts';

const { workers, ...options } = readOptions(
  `Injects faults into the service and its database under mixed load, and checks the responses. A part is skipped if its option is 0: --kills of the
service, --faults of the database, --soak (minutes of load in which neither the heap nor the latency may grow).`,
  { kills: 50, faults: 1, soak: 0, workers: 16 },
);

/** Kills the server under load repeatedly; no acknowledged write may be lost. */
async function killServers(drill: Drill, env: Environment, target: Target): Promise<void> {
  let server = await drill.startServer(env);
  const load = startLoad(target, workers);
  const restarts: number[] = [];
  for (let kill = 0; kill < options.kills; kill++) {
    await sleep(300 + Math.random() * 1_200);
    server.child.kill('SIGKILL');
    const begun = performance.now();
    server = await drill.startServer(env);
    restarts.push(performance.now() - begun);
  }
  await sleep(1_000);
  await load.stop();
  await checkLoad(drill, 'server killed', target, load);
  await stopServer(server);
  const sorted = restarts.toSorted((a, b) => a - b);
  const at = (share: number) => `${((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(2)} s`;
  console.log(`  ${options.kills} kills; from start to ready: median ${at(0.5)}, slowest ${at(1)}`);
}

const waysToHarm: Readonly<Record<string, (postgres: Postgres) => Promise<void>>> = {
  'PostgreSQL stopped immediately': postgres => postgres.stopImmediately(),
  'PostgreSQL killed': postgres => postgres.kill(),
  'all backends terminated': postgres => postgres.terminateBackends(),
  'PostgreSQL frozen for 5 s': postgres => postgres.freeze(5_000),
};

async function harmDatabase(drill: Drill, env: Environment, target: Target, postgres: Postgres): Promise<void> {
  const server = await drill.startServer(env);
  for (const [name, harm] of Object.entries(waysToHarm)) {
    const load = startLoad(target, workers);
    await sleep(2_000);
    const begun = performance.now();
    await harm(postgres);
    const harmed = performance.now();
    const lastFailure = () => load.sent.findLast(sent => sent.status !== 200 && sent.ended > begun)?.ended ?? harmed;
    const hasRecovered = () =>
      performance.now() - lastFailure() > 2_000 && (load.sent.at(-1)?.ended ?? 0) > lastFailure();
    while (!hasRecovered() && performance.now() - harmed < 60_000) await sleep(10);
    if (!hasRecovered()) drill.violations.push(`${name}: no recovery within a minute`);
    await load.stop();
    await checkLoad(drill, name, target, load);
    if (server.child.exitCode !== null)
      drill.violations.push(`${name}: the server exited with ${server.child.exitCode}`);
    const firstGood = load.sent.find(sent => sent.status === 200 && sent.begun >= lastFailure());
    const seconds = (from: number, to = Number.NaN) => ((to - from) / 1000).toFixed(2);
    console.log(
      `  the fault took ${seconds(begun, harmed)} s; only 200 from ${seconds(harmed, firstGood?.ended)} s after it`,
    );
  }
  await stopServer(server);
}

async function checkLoad(drill: Drill, name: string, target: Target, load: Load): Promise<void> {
  const found = await checkLoads(target, [load]);
  console.log(`${name}: ${countOutcomes(load.sent)}`);
  console.log(`  ${acknowledgedIn(load)} writes acknowledged, ${load.reads.length} reads, ${found.length} violations`);
  drill.violations.push(...found.map(violation => `${name}: ${violation}`));
}

await runDrill(async drill => {
  const port = String(await freePort());
  const env = { CARTE_DATA: drill.folder, PORT: port, CARTE_LOG_LEVEL: 'error' };
  const postgres = await joinPostgres(drill.folder);
  drill.atEnd(() => postgres.leave());
  // The first start loads the demo's stores and orders.
  const first = await drill.startServer(env);
  await importDocuments('stores', [{ id: 'contested', name: { translations: { en: 'Contested' } } }], env);
  const key = await createKey(env, '--write');
  await stopServer(first);
  const target = { urls: [first.url], key, contested: 'contested', busy: 'lisbon-baixa' };
  if (options.kills > 0) await killServers(drill, env, target);
  for (let round = 0; round < options.faults; round++) await harmDatabase(drill, env, target, postgres);
  if (options.soak > 0) await soak(drill, env, target, { minutes: options.soak, workers });
});
