export interface TimePeriod {
  readonly startTime: string;
  readonly endTime: string;
}

export interface Availability {
  readonly dayOfWeek: string;
  readonly timePeriods: readonly TimePeriod[];
}

/** Wall-clock time in a store's timezone. */
export interface LocalTime {
  /** 0 (Monday) to 6 (Sunday). */
  readonly day: number;
  /** Seconds since 00:00. */
  readonly second: number;
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

/** Takes a local time, so that all menus of a store share one timezone conversion. */
export function isAvailable(availability: readonly Availability[], local: LocalTime): boolean {
  return availability.some(({ dayOfWeek, timePeriods }) => {
    const day = parseDay(dayOfWeek);
    if (day === undefined) return false;
    const daysSince = (local.day - day + 7) % 7;
    if (daysSince > 1) return false;
    return timePeriods.some(period => includes(period, daysSince * secondsPerDay + local.second));
  });
}

/** Counts seconds from 00:00 of the period's own day, so a period past midnight ends after more than one day. */
function includes({ startTime, endTime }: TimePeriod, second: number): boolean {
  const start = parseTime(startTime, 'start');
  const end = parseTime(endTime, 'end');
  if (start === undefined || end === undefined) return false;
  return start <= second && second < (end <= start ? end + secondsPerDay : end);
}

/** Converts to a timezone; an absent or unknown one is treated as UTC. */
export function toLocalTime(moment: Date, timezone: string | null | undefined): LocalTime {
  const parts = formatterFor(timezone ?? 'UTC').formatToParts(moment);
  const values = Object.fromEntries(parts.map(({ type, value }): [string, string] => [type, value]));
  const { weekday = '', hour = '', minute = '', second = '' } = values;
  return { day: dayNames.indexOf(weekday.toLowerCase()), second: secondOfDay(hour, minute, second) };
}

function secondOfDay(hour: string, minute: string, second: string): number {
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second);
}

// Creating a formatter takes some fifty times as long as using it.
const formatters = new Map<string, Intl.DateTimeFormat>();
const maxFormatters = 200;

function formatterFor(timezone: string): Intl.DateTimeFormat {
  const cached = formatters.get(timezone);
  if (cached !== undefined) return cached;
  if (formatters.size >= maxFormatters) formatters.clear();
  const formatter = createFormatter(timezone);
  formatters.set(timezone, formatter);
  return formatter;
}

const formatOptions: Intl.DateTimeFormatOptions = {
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};

function createFormatter(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { ...formatOptions, timeZone: timezone });
  } catch {
    // Intl has no other test for a known timezone: `supportedValuesOf` omits aliases.
    return new Intl.DateTimeFormat('en-US', { ...formatOptions, timeZone: 'UTC' });
  }
}
