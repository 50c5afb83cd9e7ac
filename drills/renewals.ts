/**
 * Renews the workers of a service by SIGHUP and ends it by SIGTERM, under full load, and reports every dropped request:
 *   npx node drills/renewals.ts [--renewals 5] [--terms 3] [--processes 2] [--clients 16]
 * It starts a database and servers of its own. `test/http/processes.test.ts` does the same once, with little load.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../src/database/embedded.ts';
import { carte, type Server, startServer, stopServer } from '../support/servers.ts';
import { type Load, startLoad, type Target, tally } from './support/load.ts';

const { values } = parseArgs({
  options: {
    renewals: { type: 'string', default: '5' },
    terms: { type: 'string', default: '3' },
    processes: { type: 'string', default: '2' },
    clients: { type: 'string', default: '16' },
  },
});
const clients = Number(values.clients);
const folder = mkdtempSync(join(tmpdir(), 'carte-renewals-'));
const env = { CARTE_DATA: folder, PORT: '0', CARTE_PROCESSES: values.processes, CARTE_LOG_LEVEL: 'error' };

async function processesOf(url: string): Promise<readonly number[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/^process_start_time_seconds\{process="(\d+)"\}/gm)].map(([, pid]) => Number(pid));
}

/** Counts requests without a 200, except connections that were refused after the service had closed its port. */
function report(name: string, load: Load, { isEnd }: { readonly isEnd: boolean }): number {
  const dropped = load.asks.filter(({ status, failure }) => status !== 200 && !(isEnd && failure === 'ECONNREFUSED'));
  console.log(`${name}: ${JSON.stringify(tally(load.asks))}, ${dropped.length} dropped`);
  return dropped.length + load.problems.length;
}

async function renew({ child, url }: Server, target: Target): Promise<number> {
  const before = await processesOf(url);
  const load = startLoad({ ...target, url }, clients);
  await sleep(1_000);
  const begun = performance.now();
  child.kill('SIGHUP');
  const isRenewed = (after: readonly number[]) =>
    after.length === before.length && !after.some(pid => before.includes(pid));
  while (!isRenewed(await processesOf(url))) await sleep(100);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  await load.stop();
  return report(`SIGHUP, renewed in ${seconds} s`, load, { isEnd: false });
}

async function end(server: Server, target: Target): Promise<number> {
  const load = startLoad({ ...target, url: server.url }, clients);
  await sleep(1_000);
  const ended = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  const [code] = await ended;
  await load.stop();
  return report(`SIGTERM, exit status ${code}`, load, { isEnd: true }) + (code === 0 ? 0 : 1);
}

async function main(): Promise<number> {
  const file = join(folder, 'store.ndjson');
  writeFileSync(file, JSON.stringify({ id: 'contested', name: { translations: { en: 'Contested' } } }));
  let server = await startServer(env);
  await carte(['import', 'stores', file], env);
  const key = await carte(['key', 'create', '--name', 'bench', '--all', '--write'], env);
  const target = { url: server.url, key, contested: 'contested', busy: 'lisbon-baixa' };
  let failures = 0;
  for (let round = 0; round < Number(values.renewals); round++) failures += await renew(server, target);
  for (let round = 0; round < Number(values.terms); round++) {
    failures += await end(server, target);
    server = await startServer(env);
  }
  await stopServer(server);
  return failures;
}

const database = await startEmbedded({ dataFolder: folder });
try {
  const failures = await main();
  console.log(failures === 0 ? 'no request was dropped' : `${failures} failures`);
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
