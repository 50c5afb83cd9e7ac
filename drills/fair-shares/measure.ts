import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../../support/cpu.ts';
import type { Sample, Tenant } from '../../support/fair-shares/other-tenant.ts';
import type { OtherTenant } from '../../support/fair-shares/processes.ts';
import { closedStatus, lateStatus } from '../../support/fair-shares/request.ts';
import type { Row, Target } from '../../support/fair-shares/row.ts';
import { startAttacker } from './start-attacker.ts';

/** What the other tenant saw. */
export interface TenantView {
  /** Number of requests by status; `closed` for a closed connection, `timeout` for no response in time. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** CPU in seconds, memory in MB, times of the other tenant in milliseconds. */
export interface Measured {
  readonly row: string;
  readonly caller: Row['caller'];
  readonly goal: Row['goal'];
  readonly atOnce: number;
  readonly requests: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly cpu: number;
  readonly cpuPerRequest: number;
  readonly idleMemory: number;
  readonly peakMemory: number;
  /** The longest delay of the event loop, by the service's own metrics; undefined without them. */
  readonly longestTurnMs: number | undefined;
  /** How long the service could have run, but other programs had the processors. */
  readonly waitedSeconds: number;
  readonly calm: TenantView;
  readonly during: TenantView;
  readonly events: number;
  readonly note: string;
}

/** A service that runs, and the tenant beside the attacker. */
export interface Field {
  readonly pid: number;
  readonly target: Target;
  readonly tenant: Tenant;
  readonly other: OtherTenant;
}

export interface Times {
  readonly calmMs: number;
  /** The other tenant is watched for so long at least. */
  readonly leastMs: number;
  readonly attackSeconds: number;
  /** How long the service may go on working after the attack. */
  readonly settleMs: number;
}

export const wholeTimes: Times = { calmMs: 2_500, leastMs: 2_000, attackSeconds: 5, settleMs: 15_000 };
export const shortTimes: Times = { calmMs: 500, leastMs: 300, attackSeconds: 0.5, settleMs: 5_000 };

const sampleMs = 50;

/** Measures the other tenant calm, then during the attack of a row and until the service is calm again. */
export async function measureRow(row: Row, field: Field, times: Times): Promise<Measured> {
  const { pid, target, tenant, other } = field;
  const attacker = await startAttacker({ rowName: row.name, target });
  try {
    await other.begin(tenant);
    await other.take();
    const calmRate = await rateDuring(pid, () => sleep(times.calmMs));
    const calm = viewOf(await other.take());
    await longestTurn(target.url);
    const memory = watchMemory(pid);
    const [begun, before, waited] = [performance.now(), cpuSeconds(pid), waitedSeconds(pid)];
    const report = await attacker.attack(times.attackSeconds);
    await settle(pid, times.settleMs);
    await sleep(Math.max(0, times.leastMs - (performance.now() - begun)));
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = Math.max(0, cpuSeconds(pid) - before - calmRate * seconds);
    const during = viewOf(await other.take());
    const { idle, peak } = memory.stop();
    const longestTurnMs = await longestTurn(target.url);
    await other.end();
    return {
      row: row.name,
      caller: row.caller,
      goal: row.goal,
      atOnce: row.atOnce,
      requests: report.requests,
      outcomes: report.outcomes,
      seconds,
      cpu,
      cpuPerRequest: cpu / Math.max(1, report.requests),
      idleMemory: idle,
      peakMemory: peak,
      longestTurnMs,
      waitedSeconds: waitedSeconds(pid) - waited,
      calm,
      during,
      events: report.events,
      note: await attacker.inspect(),
    };
  } finally {
    attacker.stop();
  }
}

/** CPU seconds per second. */
async function rateDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const [begun, before] = [performance.now(), cpuSeconds(pid)];
  await work();
  return (cpuSeconds(pid) - before) / ((performance.now() - begun) / 1_000);
}

/** Time that the main thread of a process spent in the run queue. */
function waitedSeconds(pid: number): number {
  const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e9;
}

/** Waits until the service uses little CPU, or the time is over. */
async function settle(pid: number, limitMs: number): Promise<void> {
  const last = performance.now() + limitMs;
  while (performance.now() < last && (await rateDuring(pid, () => sleep(300))) > 0.25);
}

function watchMemory(pid: number) {
  const read = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const idle = read();
  let peak = idle;
  const timer = setInterval(() => (peak = Math.max(peak, read())), sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return { idle, peak: Math.max(peak, read()) };
    },
  };
}

/** The longest delay of the event loop since the last call, in milliseconds. */
async function longestTurn(url: string): Promise<number | undefined> {
  try {
    const metrics = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) })).text();
    const found = /^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1];
    return found === undefined ? undefined : Number(found) * 1_000;
  } catch {
    return undefined;
  }
}

const nameOf = (status: number) =>
  status === lateStatus ? 'timeout' : status === closedStatus ? 'closed' : String(status);

function viewOf(samples: readonly Sample[]): TenantView {
  const statuses: Record<string, number> = {};
  for (const { status } of samples) statuses[nameOf(status)] = (statuses[nameOf(status)] ?? 0) + 1;
  const sorted = samples.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { statuses, p50: at(0.5), p95: at(0.95), max: at(1) };
}
