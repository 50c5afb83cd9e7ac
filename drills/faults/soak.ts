import { fileURLToPath } from 'node:url';
import { type Server, startServer, stopServer } from '../../support/servers.ts';
import { type Ask, startLoad, type Target, tally } from '../support/load.ts';

export interface Minute {
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
  env: Readonly<Record<string, string>>,
  target: Target,
  options: { readonly minutes: number; readonly workers: number },
): Promise<{ minutes: Minute[]; problems: string[] }> {
  let log = '';
  const preload = fileURLToPath(new URL('./gc.ts', import.meta.url));
  const server = await startServer({ ...env, NODE_OPTIONS: `--expose-gc --import ${preload}` }, text => (log += text));
  const load = startLoad(target, options.workers);
  const minutes: Minute[] = [];
  for (let number = 1; number <= options.minutes; number++) {
    await new Promise(resolve => setTimeout(resolve, minute));
    const asks = load.asks.splice(0);
    // Bounds the memory of the recorded history in this process.
    load.writes.length = load.reads.length = 0;
    minutes.push({ minute: number, requests: asks.length, ...latencies(asks), heap: await heapOf(server, () => log) });
    log = '';
    console.log(JSON.stringify({ ...minutes.at(-1), ...tally(asks) }));
  }
  await load.stop();
  await stopServer(server);
  return { minutes, problems: [...load.problems, ...judge(minutes)] };
}

function latencies(asks: readonly Ask[]): { p50: number; p99: number } {
  const sorted = asks.map(({ begun, ended }) => ended - begun).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? Number.NaN) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}

async function heapOf({ child }: Server, log: () => string): Promise<number> {
  child.kill('SIGUSR2');
  while (!/heap \d+/.test(log())) await new Promise(resolve => setTimeout(resolve, 50));
  return Math.round(Number(/heap (\d+)/.exec(log())?.[1]) / mebibyte);
}

/** Compares the heap of the last quarter with that of the second, when caches are full, and the p99 of the last minute with the first. */
function judge(minutes: readonly Minute[]): string[] {
  const quarter = (number: number) =>
    minutes.slice(Math.floor((minutes.length * (number - 1)) / 4), Math.ceil((minutes.length * number) / 4));
  const mean = (some: readonly Minute[]) => some.reduce((sum, { heap }) => sum + heap, 0) / some.length;
  const [early, late] = [mean(quarter(2)), mean(quarter(4))];
  const [first, last] = [minutes[0], minutes.at(-1)];
  const problems: string[] = [];
  if (late > early * 1.1) problems.push(`the heap grew from ${early.toFixed(0)} to ${late.toFixed(0)} MiB`);
  if (first && last && last.p99 > first.p99 * 1.2) problems.push(`p99 grew from ${first.p99} to ${last.p99} ms`);
  return problems;
}
