import type { AvailabilityInput, TimePeriodInput } from '../generated/graph.ts';
import type { SpecialHours } from '../store/entities.ts';

export type TimePeriod = TimePeriodInput;
export type Availability = AvailabilityInput;

/** Wall-clock time in a store's timezone. */
export interface LocalTime {
  /** 0 (Monday) to 6 (Sunday). */
  readonly day: number;
  /** Seconds since 00:00. */
  readonly second: number;
  /** Absent if the store has no special hours at all. */
  readonly special?: SpecialDay | undefined;
}

interface SpecialDay {
  /** e.g. `2026-12-24`. */
  readonly date: string;
  /** The special hours of the date, and of the one before, where they have some. */
  readonly today: readonly TimePeriod[] | undefined;
  readonly yesterday: readonly TimePeriod[] | undefined;
}

export const secondsPerDay = 86_400;
const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const dayByName = new Map(
  dayNames.flatMap((name, day): [string, number][] => [
    [name, day],
    [name.slice(0, 3), day],
  ]),
);

/** Parses MON to SUN or a full English name as 0 to 6. */
export function parseDay(text: string): number | undefined {
  // Not upper case, which would turn "frıday" into FRIDAY and "ſun" into SUN.
  return dayByName.get(text.toLowerCase());
}

/** Parses a time as seconds since midnight; `24:00` is valid only as an end. */
export function parseTime(text: string, role: 'start' | 'end'): number | undefined {
  if (role === 'end' && (text === '24:00' || text === '24:00:00')) return secondsPerDay;
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(text)) return undefined;
  return secondOfDay(text.slice(0, 2), text.slice(3, 5), text.slice(6));
}

/**
 * Takes a local time, so that all menus of a store share one timezone conversion. Special hours replace the windows that begin on their date;
 * a menu without windows has none to replace, and is never available.
 */
export function isAvailable(availability: readonly Availability[], local: LocalTime): boolean {
  const { second, special } = local;
  const isSpecial =
    special?.today?.some(period => includes(period, second)) ||
    special?.yesterday?.some(period => includes(period, secondsPerDay + second));
  if (isSpecial) return availability.some(hasWindow);
  return availability.some(({ dayOfWeek, timePeriods }) => {
    const day = parseDay(dayOfWeek);
    if (day === undefined) return false;
    const daysSince = (local.day - day + 7) % 7;
    if (daysSince > 1 || (daysSince === 0 ? special?.today : special?.yesterday)) return false;
    return timePeriods.some(period => includes(period, daysSince * secondsPerDay + second));
  });
}

function hasWindow({ dayOfWeek, timePeriods }: Availability): boolean {
  return parseDay(dayOfWeek) !== undefined && timePeriods.some(period => startOf(period) !== undefined);
}

/** Seconds since midnight; undefined if the period is not recognized. */
export function startOf({ startTime, endTime }: TimePeriod): number | undefined {
  return parseTime(endTime, 'end') === undefined ? undefined : parseTime(startTime, 'start');
}

/** Counts seconds from 00:00 of the period's own day, so a period past midnight ends after more than one day. */
function includes({ startTime, endTime }: TimePeriod, second: number): boolean {
  const start = parseTime(startTime, 'start');
  const end = parseTime(endTime, 'end');
  if (start === undefined || end === undefined) return false;
  return start <= second && second < (end <= start ? end + secondsPerDay : end);
}

/** Converts to a timezone, and looks up the special hours; an absent or unknown timezone is treated as UTC. */
export function toLocalTime(
  moment: Date,
  timezone: string | null | undefined,
  specialHours?: readonly SpecialHours[] | null,
): LocalTime {
  const { weekday = '', hour = '', minute = '', second = '' } = partsOf(moment, clockFormat(timezone ?? 'UTC'));
  return {
    day: dayNames.indexOf(weekday.toLowerCase()),
    second: secondOfDay(hour, minute, second),
    special: specialHours?.length ? toSpecialDay(moment, timezone, specialHours) : undefined,
  };
}

function toSpecialDay(
  moment: Date,
  timezone: string | null | undefined,
  specialHours: readonly SpecialHours[],
): SpecialDay {
  const { year, month, day } = partsOf(moment, dateFormat(timezone ?? 'UTC'));
  const date = `${year}-${month}-${day}`;
  return { date, today: hoursOn(specialHours, date), yesterday: hoursOn(specialHours, addDays(date, -1)) };
}

export function hoursOn(specialHours: readonly SpecialHours[], date: string): readonly TimePeriod[] | undefined {
  return specialHours.find(hours => hours.date === date)?.timePeriods;
}

export function addDays(date: string, days: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}

function secondOfDay(hour: string, minute: string, second: string): number {
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second);
}

function partsOf(moment: Date, format: Intl.DateTimeFormat): Readonly<Record<string, string>> {
  return Object.fromEntries(format.formatToParts(moment).map(({ type, value }): [string, string] => [type, value]));
}

const maxFormatters = 200;

/** Caches formatters by timezone: creating one takes some fifty times as long as using it. */
function formatters(options: Intl.DateTimeFormatOptions): (timezone: string) => Intl.DateTimeFormat {
  const known = new Map<string, Intl.DateTimeFormat>();
  return timezone => {
    const cached = known.get(timezone);
    if (cached !== undefined) return cached;
    if (known.size >= maxFormatters) known.clear();
    const formatter = createFormatter(timezone, options);
    known.set(timezone, formatter);
    return formatter;
  };
}

/** The parts of a time of day. */
export const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const clockFormat = formatters({ weekday: 'long', ...clock });
const dateFormat = formatters({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** Treats an unknown timezone as UTC. */
export function createFormatter(
  timezone: string,
  options: Intl.DateTimeFormatOptions,
  locale = 'en-US',
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone });
  } catch {
    // Intl has no other test for a known timezone: `supportedValuesOf` omits aliases.
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  }
}
