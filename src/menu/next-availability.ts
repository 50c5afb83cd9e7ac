import type { Store } from '../store/entities.ts';
import {
  type Availability,
  addDays,
  hoursOn,
  isAvailable,
  type LocalTime,
  parseDay,
  secondsPerDay,
  startOf,
  toLocalTime,
} from './availability.ts';

const daysPerWeek = 7;
const secondsPerWeek = daysPerWeek * secondsPerDay;

type Clock = Partial<Pick<Store, 'timezone' | 'specialHours'>>;

/** Returns the earliest time from `after` on at which the menu is available by `isAvailable`; null if there is none. */
export function nextAvailableAt(availability: readonly Availability[], after: Date, clock: Clock): Date | null {
  const weeklyStarts = startsByDay(availability);
  if (weeklyStarts.every(starts => starts.length === 0)) return null;
  const { timezone, specialHours } = clock;
  let time = after;
  while (true) {
    const local = toLocalTime(time, timezone, specialHours);
    if (isAvailable(availability, local)) return time;
    const start = addSeconds(time, secondsUntilStart(weeklyStarts, local, clock));
    // The clock may skip a start, or show it twice: after a change of the clock, the wait is another one.
    time = findClockChange(time, start, timezone) ?? start;
  }
}

/** Returns the starts of all windows of each day of the week, in seconds since its midnight. */
function startsByDay(availability: readonly Availability[]): number[][] {
  const starts = Array.from({ length: daysPerWeek }, (): number[] => []);
  for (const { dayOfWeek, timePeriods } of availability) {
    starts[parseDay(dayOfWeek) ?? daysPerWeek]?.push(...timePeriods.flatMap(period => startOf(period) ?? []));
  }
  return starts;
}

/** Returns the seconds until the first start after a local time; a week if there is none so soon, because of special hours. */
function secondsUntilStart(
  weeklyStarts: readonly (readonly number[])[],
  { day, second, special }: LocalTime,
  { specialHours }: Clock,
): number {
  for (let days = 0; days <= daysPerWeek; days++) {
    const periods = special && hoursOn(specialHours ?? [], addDays(special.date, days));
    const starts = periods?.flatMap(period => startOf(period) ?? []) ?? weeklyStarts[(day + days) % daysPerWeek] ?? [];
    const waits = starts.map(start => days * secondsPerDay + start - second).filter(wait => wait > 0);
    if (waits.length > 0) return Math.min(...waits);
  }
  return secondsPerWeek;
}

function secondOfWeek({ day, second }: LocalTime): number {
  return day * secondsPerDay + second;
}

/** Finds the second at which the clock of a timezone changes, between two times of at most one change. */
function findClockChange(from: Date, to: Date, timezone: string | null | undefined): Date | undefined {
  const offset = offsetAt(from, timezone);
  if (offsetAt(to, timezone) === offset) return undefined;
  let before = 0;
  let changed = Math.floor((to.getTime() - from.getTime()) / 1000);
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (offsetAt(addSeconds(from, middle), timezone) === offset) before = middle;
    else changed = middle;
  }
  return addSeconds(from, changed);
}

/** Returns the difference to UTC in seconds, modulo a week. */
function offsetAt(time: Date, timezone: string | null | undefined): number {
  const difference = secondOfWeek(toLocalTime(time, timezone)) - Math.floor(time.getTime() / 1000);
  return ((difference % secondsPerWeek) + secondsPerWeek) % secondsPerWeek;
}

/** Adds seconds to the second in which a time lies. */
function addSeconds(time: Date, seconds: number): Date {
  return new Date((Math.floor(time.getTime() / 1000) + seconds) * 1000);
}
