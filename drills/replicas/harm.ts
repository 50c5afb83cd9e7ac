import { setTimeout as sleep } from 'node:timers/promises';
import { readsDuring, shareOf, sumOf } from '../../support/replica-reads.ts';
import type { Pair } from '../../support/standby.ts';
import { checkHistory } from '../support/history.ts';
import { type Load, startLoad, tally } from '../support/load.ts';
import { marksIn, revisionIn } from '../support/menu.ts';

interface Target {
  readonly urls: readonly [string, string];
  readonly key: string;
  readonly busy: string;
}

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
  const problems: string[] = [];
  const { urls } = target;
  for (const [name, harm] of Object.entries(harms)) {
    const loads = urls.map(url => startLoad({ ...target, url, contested: 'contested' }, workers / 2));
    await sleep(2_000);
    let back = 0;
    const reads = await readsDuring(urls, async () => {
      const begun = await harm(pair);
      while (!(await isRead(urls))) await sleep(5);
      back = performance.now() - begun;
      await sleep(2_000);
    });
    await Promise.all(loads.map(load => load.stop()));
    const faults = await check(target, loads);
    problems.push(...faults.map(fault => `${name}: ${fault}`));
    const slowest = Math.max(...loads.flatMap(load => load.asks.map(ask => ask.ended - ask.begun)));
    console.log(`${name}: ${JSON.stringify(tally(loads.flatMap(load => load.asks)))}, ${faults.length} violations`);
    console.log(
      `  both services read from it ${(back / 1000).toFixed(2)} s after; slowest response ${slowest.toFixed(0)} ms`,
    );
    console.log(`  ${shareOf(reads)} from the replica ${JSON.stringify(reads)}`);
  }
  return problems;
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

async function check({ urls, key }: Target, loads: readonly Load[]): Promise<string[]> {
  const path = '/v1/stores/contested/menu_configuration/';
  const answer = await fetch(urls[0] + path, { headers: { 'x-api-key': key } });
  const final = { marks: marksIn(await answer.text()), revision: revisionIn(answer.headers.get('etag')) };
  const failed = loads.flatMap(load => load.asks.filter(ask => ask.status !== 200));
  return [
    ...failed.map(ask => `${ask.what}: ${ask.status} ${ask.failure ?? ''}`),
    ...loads.flatMap(load => load.problems),
    ...checkHistory(
      loads.flatMap(load => load.writes),
      loads.flatMap(load => load.reads),
      final,
    ),
  ];
}
