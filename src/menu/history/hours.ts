import { type Availability, parseDay, parseTime, type TimePeriod } from '../availability.ts';

const dayCodes = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** The time windows of each day, from the earliest on; days without any are left out, and unknown ones stay as posted. */
export function periodsByDay(availability: readonly Availability[]): Map<string, TimePeriod[]> {
  const periods = new Map<string, TimePeriod[]>();
  for (const { dayOfWeek, timePeriods } of availability) {
    const day = dayCodes[parseDay(dayOfWeek) ?? -1] ?? dayOfWeek;
    if (timePeriods.length > 0) periods.set(day, [...(periods.get(day) ?? []), ...timePeriods].sort(byStart));
  }
  return new Map([...periods].sort(([one], [other]) => byDay(one, other)));
}

/** Compares days: weekdays come first, from Monday on; unknown days are equal, so that a stable sort leaves them as they are. */
export function byDay(one: string, other: string): number {
  const rank = (day: string) => (dayCodes.includes(day) ? dayCodes.indexOf(day) : dayCodes.length);
  return rank(one) - rank(other);
}

function byStart(one: TimePeriod, other: TimePeriod): number {
  return (parseTime(one.startTime, 'start') ?? 0) - (parseTime(other.startTime, 'start') ?? 0);
}

/** Formats an availability, with days of equal hours together: `MON–FRI 08:00–11:30, SAT 09:00–12:30`. */
export function formatHours(availability: readonly Availability[]): string {
  const days = [...periodsByDay(availability)].map(([day, periods]) => ({ day, hours: formatPeriods(periods) }));
  const groups = [...Map.groupBy(days, ({ hours }) => hours)];
  return groups.map(([hours, group]) => `${formatDays(group.map(({ day }) => day))} ${hours}`).join(', ') || 'never';
}

export function formatPeriods(periods: readonly TimePeriod[]): string {
  return periods.map(({ startTime, endTime }) => `${startTime}–${endTime}`).join(' and ');
}

/** Formats days in ascending order: `MON–WED, FRI`. */
export function formatDays(days: readonly string[]): string {
  const runs: { readonly first: string; last: string }[] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const next = run && dayCodes[dayCodes.indexOf(run.last) + 1];
    if (run && dayCodes.includes(run.last) && next === day) run.last = day;
    else runs.push({ first: day, last: day });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first}–${last}`)).join(', ');
}
