import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The processes that a service says it consists of. */
export async function processesOf(url: string): Promise<readonly number[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const found = metrics.matchAll(/^process_start_time_seconds\{process="(\d+)"\}/gm);
  return [...found].map(([, pid]) => Number(pid));
}

/** Waits for as long as it takes; the test's own time limit ends it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

export function isAlive(pid: number): boolean {
  try {
    // One that has ended and that nobody has buried is not alive.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
