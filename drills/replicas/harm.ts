import { setTimeout as sleep } from 'node:timers/promises';
import { readsDuring, shareOf, sumOf } from '../../support/replicas.ts';
import type { Pair } from '../../support/standby.ts';
import { checkLoads, countOutcomes, startLoad, type Target } from '../support/load.ts';

/** Each returns the time from which the replica is usable again. */
const harms: Readonly<Record<string, (pair: Pair) => Promise<number>>> = {
  'nothing done to the replica': async () => {
    await sleep(5_000);
    return performance.now();
  },
  'replay paused for 5 s': async pair => {
    await pair.onStandby('select pg_wal_replay_pause()');
    await sleep(5_000);
    await pair.onStandby('select pg_wal_replay_resume()');
    return performance.now();
  },
  'replica stopped for 5 s': async pair => {
    await pair.stopStandby();
    await sleep(5_000);
    await pair.startStandby();
    return performance.now();
  },
  'replica frozen for 5 s': async pair => {
    const pids = await pair.onStandby(
      "select pid from pg_stat_activity union select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int",
    );
    const signal = (name: NodeJS.Signals) => {
      for (const { pid } of pids) tryKill(Number(pid), name);
    };
    signal('SIGSTOP');
    await sleep(5_000);
    signal('SIGCONT');
    return performance.now();
  },
};

/** Ignores processes that have exited since they were listed. */
function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** Injects faults into the replica under load on both services; every request must get a response, and none a stale one. */
export async function harmReplica(pair: Pair, target: Target, workers: number): Promise<string[]> {
  const violations: string[] = [];
  const { urls } = target;
  for (const [name, harm] of Object.entries(harms)) {
    const loads = urls.map(url => startLoad({ ...target, urls: [url] }, workers / 2));
    await sleep(2_000);
    let back = 0;
    const reads = await readsDuring(urls, async () => {
      const begun = await harm(pair);
      while (!(await isRead(urls))) await sleep(5);
      back = performance.now() - begun;
      await sleep(2_000);
    });
    await Promise.all(loads.map(load => load.stop()));
    const sent = loads.flatMap(load => load.sent);
    const failed = sent.filter(({ status }) => status !== 200);
    const found = await checkLoads(target, loads);
    if (failed.length > 0) found.push(`failed: ${countOutcomes(failed)}`);
    violations.push(...found.map(violation => `${name}: ${violation}`));
    const slowest = Math.max(...sent.map(({ begun, ended }) => ended - begun));
    console.log(`${name}: ${countOutcomes(sent)}; ${found.length} violations`);
    console.log(
      `  both services read from it ${(back / 1000).toFixed(2)} s after; slowest response ${slowest.toFixed(0)} ms`,
    );
    console.log(`  ${shareOf(reads)} from the replica ${JSON.stringify(reads)}`);
  }
  return violations;
}

/** Returns whether every service reads from its replica. */
async function isRead(urls: readonly string[]): Promise<boolean> {
  for (const url of urls) {
    const before = (await sumOf([url], 'carte_database_reads_total')).replica ?? 0;
    await sleep(50);
    if (((await sumOf([url], 'carte_database_reads_total')).replica ?? 0) <= before) return false;
  }
  return true;
}
