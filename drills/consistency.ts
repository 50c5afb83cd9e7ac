import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../support/options.ts';
import { createKey, importDocuments, type Server } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { acknowledgedIn, checkLoads, countOutcomes, startLoad } from './support/load.ts';

const { seconds, workers, kill } = readOptions(
  `Writes and reads one store through two server processes, records every response and checks the history. A quarter of the workers write. With
--kill a server is killed with SIGKILL every two seconds and restarted.`,
  { seconds: 60, workers: 16, kill: false },
);
const contested = 'contested';

await runDrill(async ({ folder, startServer, violations }) => {
  const env = { CARTE_DATA: folder, CARTE_DEMO: 'off', PORT: '0' };
  const servers: Server[] = [await startServer(env), await startServer(env)];
  await importDocuments('stores', [{ id: contested, name: { translations: { en: 'Contested' } } }], env);
  const urls = servers.map(({ url }) => url);
  const target = { urls, key: await createKey(env, '--write'), contested };
  const load = startLoad(target, workers);
  const end = performance.now() + seconds * 1000;
  for (let turn = 0; kill && performance.now() < end; turn = 1 - turn) {
    await sleep(2000);
    servers[turn]?.child.kill('SIGKILL');
    const server = await startServer(env);
    servers[turn] = server;
    urls[turn] = server.url;
  }
  await sleep(Math.max(0, end - performance.now()));
  await load.stop();
  const refused = load.sent.filter(({ status }) => status >= 500);
  violations.push(...(await checkLoads(target, [load])), ...refused.map(({ kind, status }) => `${kind}: ${status}`));
  console.log(`${acknowledgedIn(load)} of ${load.writes.length} writes acknowledged, ${load.reads.length} reads`);
  console.log(countOutcomes(load.sent));
});
