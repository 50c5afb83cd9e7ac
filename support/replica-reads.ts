import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from './cpu.ts';

/** Numbers of reads by the label of `carte_database_reads_total`. */
export type Reads = Readonly<Record<string, number>>;

/** Sums the metrics of the services. */
export async function sumOf(urls: readonly string[], metric: string): Promise<Reads> {
  const sums: Record<string, number> = {};
  for (const url of urls) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, label = '', value] of text.matchAll(new RegExp(`^${metric}\\{\\w+="(\\w+)"\\} (\\S+)$`, 'gm'))) {
      sums[label] = (sums[label] ?? 0) + Number(value);
    }
  }
  return sums;
}

/** Counts the reads that an action caused, by source. */
export async function readsDuring(urls: readonly string[], action: () => Promise<void>): Promise<Reads> {
  const before = await sumOf(urls, 'carte_database_reads_total');
  await action();
  const after = await sumOf(urls, 'carte_database_reads_total');
  return Object.fromEntries(Object.entries(after).map(([target, times]) => [target, times - (before[target] ?? 0)]));
}

/** Share of the eligible reads that a replica served. */
export function shareOf({ replica = 0, behind = 0, ahead = 0, failed = 0 }: Reads): string {
  return `${((100 * replica) / (replica + behind + ahead + failed)).toFixed(1)} %`;
}

export function cpuOf(folder: string): number {
  return cpuSeconds(Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]));
}
