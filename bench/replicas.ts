import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from '../support/cpu.ts';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { busyStore, readsDuring, shareOf, startReplicated, untilUsable } from '../support/replicas.ts';
import type { Server } from '../support/servers.ts';
import type { Pair } from '../support/standby.ts';
import { createClient, inParallel, sendExpecting } from './support/client.ts';

const { reads } = readOptions('Measures lists and pages with and without a read replica.', { reads: 1000 });
const connections = 8;

const paths = [
  `/v1/stores/${busyStore}/orders/?page_size=100`,
  `/v1/stores/${busyStore}/orders/?page_size=100&page_index=150`,
  `/v1/stores/${busyStore}/orders/?page_size=50&customer_name=nunes`,
  '/v1/stores/?limit=100',
];

const cpuOf = (folder: string) =>
  cpuSeconds(Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]));

/** Sends reads and prints their CPU on the primary and on the replica. */
async function timeReads({ url }: Server, key: string, { folders }: Pair): Promise<void> {
  const [primary, standby] = [cpuOf(folders.primary), cpuOf(folders.standby)];
  const client = createClient(url, key, connections);
  const begun = performance.now();
  await inParallel(
    connections,
    turn => turn < reads,
    async turn => void (await sendExpecting(client, { path: paths[turn % paths.length] ?? '' }, 200)),
  );
  client.close();
  const perSecond = reads / ((performance.now() - begun) / 1000);
  const ms = (seconds: number) => ((1000 * seconds) / reads).toFixed(2);
  console.log(
    `  ${perSecond.toFixed(0)} reads/s; CPU per read: ${ms(cpuOf(folders.primary) - primary)} ms on the primary, ` +
      `${ms(cpuOf(folders.standby) - standby)} ms on the replica`,
  );
}

await runProgram(async program => {
  const { pair, key, alone, replicated } = await startReplicated(program);
  const servers = { alone: await program.startServer(alone), replicated: await program.startServer(replicated) };
  const urls = [servers.replicated.url];
  await untilUsable(urls);
  for (const turn of ['first', 'second']) {
    console.log(`${turn} time, from the primary`);
    await timeReads(servers.alone, key, pair);
    console.log(`${turn} time, with the replica`);
    const counts = await readsDuring(urls, () => timeReads(servers.replicated, key, pair));
    console.log(`  ${shareOf(counts)} from the replica ${JSON.stringify(counts)}`);
  }
});
