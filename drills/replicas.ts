import { readOptions } from '../support/options.ts';
import { busyStore, quietStores, readsDuring, shareOf, startReplicated, untilUsable } from '../support/replicas.ts';
import { harmReplica } from './replicas/harm.ts';
import { runPairs } from './replicas/pairs.ts';
import { runDrill } from './support/harness.ts';

const { pairs, workers, load } = readOptions(
  `Runs a primary, a standby and two server processes that read from it. Reads each of --pairs writes at once through the other process, by as many
--workers; then stops, pauses and freezes the replica under a --load of as many clients. A part is skipped if its option is 0.`,
  { pairs: 2000, workers: 4, load: 16 },
);
if (workers > quietStores.length)
  throw new Error(`--workers is ${workers}; each has one of ${quietStores.length} stores`);

await runDrill(async drill => {
  const { pair, key, replicated } = await startReplicated(drill);
  const servers = [await drill.startServer(replicated), await drill.startServer(replicated)] as const;
  const urls = [servers[0].url, servers[1].url] as const;
  await untilUsable(urls);
  if (pairs > 0) {
    const reads = await readsDuring(urls, async () => {
      drill.violations.push(...(await runPairs({ urls, key, pair }, pairs, workers)));
    });
    const found = drill.violations.length;
    console.log(`${pairs} writes, each read at once through another process: ${found} stale or failed`);
    console.log(`  ${shareOf(reads)} from the replica ${JSON.stringify(reads)}`);
  }
  const target = { urls, key, contested: 'contested', busy: busyStore };
  if (load > 0) drill.violations.push(...(await harmReplica(pair, target, load)));
});
