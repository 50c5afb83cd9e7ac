import {
  type Availability,
  isAvailable,
  type LocalTime,
  parseDay,
  parseTime,
  secondsPerDay,
  toLocalTime,
} from './availability.ts';

const secondsPerWeek = 7 * secondsPerDay;

/** Returns the earliest time from `after` on at which the menu is available by `isAvailable`; null if there is none. */
export function nextAvailableAt(
  availability: readonly Availability[],
  after: Date,
  timezone: string | null | undefined,
): Date | null {
  const starts = startsOf(availability);
  let time = after;
  while (true) {
    const local = toLocalTime(time, timezone);
    if (isAvailable(availability, local)) return time;
    const wait = secondsUntil(starts, local);
    if (wait === undefined) return null;
    const start = addSeconds(time, wait);
    // The clock may skip a start, or show it twice: after a change of the clock, the wait is another one.
    time = findClockChange(time, start, timezone) ?? start;
  }
}

/** Returns the starts of all windows, in seconds since Monday 00:00. */
function startsOf(availability: readonly Availability[]): number[] {
  return availability.flatMap(({ dayOfWeek, timePeriods }) => {
    const day = parseDay(dayOfWeek);
    if (day === undefined) return [];
    return timePeriods.flatMap(({ startTime, endTime }) => {
      const start = parseTime(startTime, 'start');
      return start === undefined || parseTime(endTime, 'end') === undefined ? [] : [day * secondsPerDay + start];
    });
  });
}

/** Returns the seconds until the first start after a local time, at most a week. */
function secondsUntil(starts: readonly number[], local: LocalTime): number | undefined {
  const now = secondOfWeek(local);
  let least: number | undefined;
  for (const start of starts) {
    const wait = start > now ? start - now : start - now + secondsPerWeek;
    if (least === undefined || wait < least) least = wait;
  }
  return least;
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
