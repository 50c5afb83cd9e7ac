import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Process ids of a service, from its metrics. */
export async function processesOf(url: string): Promise<readonly number[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const found = metrics.matchAll(/^process_start_time_seconds\{process="(\d+)"\}/gm);
  return [...found].map(([, pid]) => Number(pid));
}

/** Polls without a limit of its own: the test's timeout applies. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Repeats a signal: one that comes within a second of the first is taken for the same. */
export function signalUntilEnded(child: ChildProcess): void {
  const timer = setInterval(() => child.kill('SIGINT'), 100);
  child.once('exit', () => clearInterval(timer));
}
