import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Environment, type Server, stopServer } from '../../support/servers.ts';
import type { Drill } from '../support/harness.ts';
import { countOutcomes, type Sent, startLoad, type Target } from '../support/load.ts';

interface Minute {
  readonly minute: number;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  /** After a garbage collection, in MiB. */
  readonly heap: number;
}

const minute = 60_000;
const mebibyte = 1024 ** 2;

/** Runs the same load for a long time: neither the heap nor the p99 latency may grow. */
export async function soak(
  drill: Drill,
  env: Environment,
  target: Target,
  options: { readonly minutes: number; readonly workers: number },
): Promise<void> {
  let log = '';
  const preload = fileURLToPath(new URL('./gc.ts', import.meta.url));
  const environment = { ...env, NODE_OPTIONS: `--expose-gc --import ${preload}` };
  const server = await drill.startServer(environment, text => (log += text));
  const load = startLoad(target, options.workers);
  const minutes: Minute[] = [];
  for (let number = 1; number <= options.minutes; number++) {
    await sleep(minute);
    const sent = load.sent.splice(0);
    // Bounds the memory of the recorded history in this process.
    load.writes.length = load.reads.length = 0;
    minutes.push({ minute: number, requests: sent.length, ...latencies(sent), heap: await heapOf(server, () => log) });
    log = '';
    console.log(`${JSON.stringify(minutes.at(-1))} ${countOutcomes(sent)}`);
  }
  await load.stop();
  await stopServer(server);
  drill.violations.push(...load.violations, ...judge(minutes));
}

function latencies(all: readonly Sent[]): { p50: number; p99: number } {
  const sorted = all.map(({ begun, ended }) => ended - begun).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? Number.NaN) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}

async function heapOf({ child }: Server, log: () => string): Promise<number> {
  child.kill('SIGUSR2');
  while (!/heap \d+/.test(log())) await sleep(50);
  return Math.round(Number(/heap (\d+)/.exec(log())?.[1]) / mebibyte);
}

/** Compares the heap of the last quarter with that of the second, when caches are full, and the p99 of the last minute with the first. */
function judge(minutes: readonly Minute[]): string[] {
  const quarter = (number: number) =>
    minutes.slice(Math.floor((minutes.length * (number - 1)) / 4), Math.ceil((minutes.length * number) / 4));
  const mean = (some: readonly Minute[]) => some.reduce((sum, { heap }) => sum + heap, 0) / some.length;
  const [early, late] = [mean(quarter(2)), mean(quarter(4))];
  const [first, last] = [minutes[0], minutes.at(-1)];
  const violations: string[] = [];
  if (late > early * 1.1) violations.push(`the heap grew from ${early.toFixed(0)} to ${late.toFixed(0)} MiB`);
  if (first && last && last.p99 > first.p99 * 1.2) violations.push(`p99 grew from ${first.p99} to ${last.p99} ms`);
  return violations;
}
