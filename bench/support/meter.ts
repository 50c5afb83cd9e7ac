import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg } from 'node:os';
import { cpuSeconds } from '../../support/cpu.ts';
import type { HttpResponse } from './client.ts';

/** The processes whose CPU is measured. */
export interface Watched {
  readonly serverPid: number | undefined;
  readonly databasePid: number;
}

/** Measurements of a series of requests. */
export interface Stretch {
  readonly times: readonly number[];
  readonly bytes: number;
  readonly seconds: number;
  readonly serverSeconds: number;
  readonly databaseSeconds: number;
}

/** Per request: milliseconds of CPU of the server and of the database, milliseconds of wall-clock time, bytes of the body. */
export interface Figures {
  readonly requests: number;
  readonly perSecond: number;
  readonly server: number;
  readonly database: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
}

/** Measures a task, which passes on each of its responses. */
export async function measure(
  { serverPid, databasePid }: Watched,
  work: (onResponse: (response: HttpResponse) => void) => Promise<void>,
): Promise<Stretch> {
  const times: number[] = [];
  let bytes = 0;
  const before = [cpuSeconds(serverPid), cpuSeconds(databasePid)] as const;
  const begun = performance.now();
  await work(response => {
    times.push(response.ended - response.begun);
    for (const chunk of response.chunks) bytes += chunk.length;
  });
  const seconds = (performance.now() - begun) / 1000;
  return {
    times,
    bytes,
    seconds,
    serverSeconds: cpuSeconds(serverPid) - before[0],
    databaseSeconds: cpuSeconds(databasePid) - before[1],
  };
}

export function figuresOf(stretches: readonly Stretch[]): Figures {
  const times = stretches.flatMap(stretch => stretch.times).sort((a, b) => a - b);
  const sum = (pick: (stretch: Stretch) => number) => stretches.reduce((total, stretch) => total + pick(stretch), 0);
  const requests = times.length;
  return {
    requests,
    perSecond: requests / sum(stretch => stretch.seconds),
    server: (sum(stretch => stretch.serverSeconds) * 1000) / requests,
    database: (sum(stretch => stretch.databaseSeconds) * 1000) / requests,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    bytes: sum(stretch => stretch.bytes) / requests,
  };
}

/** Median of each figure over the rounds. */
export function medianOf(rounds: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number) => median(rounds.map(pick));
  return {
    requests: of(figures => figures.requests),
    perSecond: of(figures => figures.perSecond),
    server: of(figures => figures.server),
    database: of(figures => figures.database),
    p50: of(figures => figures.p50),
    p99: of(figures => figures.p99),
    bytes: of(figures => figures.bytes),
  };
}

export const median = (numbers: readonly number[]) =>
  quantile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  );

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Returns the peak memory of a process in MiB. */
export function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Environment of the measurement. */
export const machine = () => {
  const [model] = cpus();
  return {
    node: process.version,
    processor: model?.model ?? arch(),
    cores: cpus().length,
    load: loadavg().map(shortened),
  };
};

const shortened = (load: number) => Math.round(load * 100) / 100;
