import { isFailure, isRefusal } from '../../support/fair-shares/request.ts';
import type { Caller } from '../../support/fair-shares/row.ts';
import type { Measured } from './measure.ts';

/** CPU seconds for each request, served or refused. */
const cpuGoals: Readonly<Record<Caller, number>> = { 'no key': 0.05, 'unknown key': 0.05, key: 0.5 };
/** MB above idle, where twelve or more requests are sent at once. */
const memoryGoal = 300;
const manyAtOnce = 12;
/** The other tenant's 95th percentile: twice the calm one and this. */
const slackMs = 50;

/** The other tenant waited for too long. */
export const slowMiss = "B's p95";

/** The goals that a row misses, each in a few words; none if it holds. */
export function missesOf(measured: Measured): readonly string[] {
  const { caller, goal, cpuPerRequest, atOnce, peakMemory, idleMemory, outcomes, calm, during } = measured;
  const misses: string[] = [];
  if (goal !== 'allowed' && cpuPerRequest > cpuGoals[caller]) misses.push('CPU');
  if (atOnce >= manyAtOnce && peakMemory - idleMemory > memoryGoal) misses.push('memory');
  const accepted = Object.keys(outcomes).filter(outcome => !isRefusal(outcome));
  if (goal === 'refused' && accepted.length > 0) misses.push('accepted');
  if (Object.keys(outcomes).some(isFailure)) misses.push('failures');
  if (Object.keys(during.statuses).some(status => status !== '200')) misses.push("B's statuses");
  if (during.p95 > 2 * calm.p95 + slackMs) misses.push(slowMiss);
  return misses;
}
