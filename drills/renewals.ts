import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../support/options.ts';
import { createKey, importDocuments, type Server } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { countOutcomes, type Load, type Sent, startLoad, type Target } from './support/load.ts';
import { workersOf } from './support/workers.ts';

const { renewals, kills, terms, processes, clients } = readOptions(
  `Renews the workers of a service by SIGHUP, kills one of them by SIGKILL and ends the service by SIGTERM, each under full load, and reports
every dropped request. A killed worker may drop what it was working on. A part is skipped if its option is 0.`,
  { renewals: 5, kills: 1, terms: 3, processes: 2, clients: 16 },
);

await runDrill(async ({ folder, startDatabase, startServer, violations }) => {
  // The service joins this database by its folder, and then loads the demo.
  await startDatabase();
  const env = { CARTE_DATA: folder, PORT: '0', CARTE_PROCESSES: String(processes), CARTE_LOG_LEVEL: 'error' };
  let server = await startServer(env);
  await importDocuments('stores', [{ id: 'contested', name: { translations: { en: 'Contested' } } }], env);
  const key = await createKey(env, '--write');
  const targetOf = ({ url }: Server): Target => ({ urls: [url], key, contested: 'contested', busy: 'lisbon-baixa' });

  /** Every request has a 200, except those that `mayFail`. */
  function check(name: string, load: Load, mayFail: (sent: Sent) => boolean): void {
    const dropped = load.sent.filter(sent => sent.status !== 200 && !mayFail(sent));
    console.log(`${name}: ${countOutcomes(load.sent)}; ${dropped.length} dropped`);
    violations.push(...load.violations.map(violation => `${name}: ${violation}`));
    if (dropped.length > 0) violations.push(`${name}: dropped ${countOutcomes(dropped)}`);
  }

  /** Replaces all workers, or the one that it kills, under load. */
  async function replaceWorkers(name: string, isKill: boolean): Promise<void> {
    const before = await workersOf(server.url);
    const load = startLoad(targetOf(server), clients);
    await sleep(1_000);
    const begun = performance.now();
    const gone = isKill ? before.slice(0, 1) : before;
    if (isKill) process.kill(before[0] ?? 0, 'SIGKILL');
    else server.child.kill('SIGHUP');
    const isReplaced = (after: readonly number[]) =>
      after.length === before.length && !after.some(pid => gone.includes(pid));
    while (!isReplaced(await workersOf(server.url).catch(() => []))) await sleep(100);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    await load.stop();
    check(`${name}, replaced in ${seconds} s`, load, ({ status }) => isKill && status === 0);
  }

  for (let round = 0; round < renewals; round++) await replaceWorkers('SIGHUP', false);
  for (let round = 0; round < kills; round++) await replaceWorkers('SIGKILL of a worker', true);
  for (let round = 0; round < terms; round++) {
    const load = startLoad(targetOf(server), clients);
    await sleep(1_000);
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    const [code] = await ended;
    await load.stop();
    // New connections are refused after the service has closed its port.
    check(`SIGTERM, exit status ${code}`, load, ({ failure }) => failure === 'ECONNREFUSED');
    if (code !== 0) violations.push(`SIGTERM: exit status ${code}`);
    server = await startServer(env);
  }
});
