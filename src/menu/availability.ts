export interface TimePeriod {
  readonly startTime: string;
  readonly endTime: string;
}

export interface Availability {
  readonly dayOfWeek: string;
  readonly timePeriods: readonly TimePeriod[];
}

/** What the clock on a store's wall shows: the day as 0 (Monday) to 6, and the seconds since it read 00:00. */
export interface LocalTime {
  readonly day: number;
  readonly second: number;
}

const dayLength = 86_400;
const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const dayByWord = new Map(
  dayNames.flatMap((name, day): [string, number][] => [
    [name, day],
    [name.slice(0, 3), day],
  ]),
);

/** MON..SUN as 0..6, or undefined for a word that is not understood. */
export function parseDay(word: string): number | undefined {
  // Lower case, because upper case would make FRIDAY of "frıday" and SUN of "ſun".
  return dayByWord.get(word.toLowerCase());
}

/** Seconds since midnight, or undefined; `24:00` only as an end. */
export function parseTime(word: string, role: 'start' | 'end'): number | undefined {
  if (role === 'end' && (word === '24:00' || word === '24:00:00')) return dayLength;
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(word)) return undefined;
  return secondOfDay(word.slice(0, 2), word.slice(3, 5), word.slice(6));
}

/** Whether a moment falls into one of the windows, in the store's own time. */
export function isAvailable(
  availability: readonly Availability[],
  moment: Date,
  timezone: string | null | undefined,
): boolean {
  return isOpen(availability, localTime(moment, timezone));
}

/** Whether one of the windows covers a local time, so that many menus of a store share one conversion. */
export function isOpen(availability: readonly Availability[], local: LocalTime): boolean {
  return availability.some(({ dayOfWeek, timePeriods }) => {
    const day = parseDay(dayOfWeek);
    if (day === undefined) return false;
    const daysSince = (local.day - day + 7) % 7;
    if (daysSince > 1) return false;
    return timePeriods.some(period => covers(period, daysSince * dayLength + local.second));
  });
}

/** Counts from the midnight that the window's own day begins with, so a window past midnight ends beyond one day. */
function covers({ startTime, endTime }: TimePeriod, second: number): boolean {
  const start = parseTime(startTime, 'start');
  const end = parseTime(endTime, 'end');
  if (start === undefined || end === undefined) return false;
  return start <= second && second < (end <= start ? end + dayLength : end);
}

/** The wall clock of a timezone at a moment; an absent or unknown timezone counts as UTC. */
export function localTime(moment: Date, timezone: string | null | undefined): LocalTime {
  const parts = formatterFor(timezone ?? 'UTC').formatToParts(moment);
  const shown = Object.fromEntries(parts.map(({ type, value }): [string, string] => [type, value]));
  const { weekday = '', hour = '', minute = '', second = '' } = shown;
  return { day: dayNames.indexOf(weekday.toLowerCase()), second: secondOfDay(hour, minute, second) };
}

function secondOfDay(hour: string, minute: string, second: string): number {
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second);
}

// Making a formatter costs some fifty times as much as using it, and it depends on nothing but its timezone.
const formatters = new Map<string, Intl.DateTimeFormat>();
const maxFormatters = 200;

function formatterFor(timezone: string): Intl.DateTimeFormat {
  const kept = formatters.get(timezone);
  if (kept !== undefined) return kept;
  if (formatters.size >= maxFormatters) formatters.clear();
  const formatter = makeFormatter(timezone);
  formatters.set(timezone, formatter);
  return formatter;
}

const clock: Intl.DateTimeFormatOptions = {
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};

function makeFormatter(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { ...clock, timeZone: timezone });
  } catch {
    // Intl has no other way to say that it does not know a timezone: its list of them leaves out the aliases.
    return new Intl.DateTimeFormat('en-US', { ...clock, timeZone: 'UTC' });
  }
}
