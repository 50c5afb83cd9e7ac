import type { Menu } from './client.ts';

type Availability = Menu['availability'];
type TimePeriod = Availability[number]['timePeriods'][number];

const daysPerWeek = 7;
const millisecondsPerDay = 86_400_000;
/** A Monday. */
const monday = Date.UTC(2024, 0, 1);
const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/**
 * Creates functions that format an availability and single periods in a locale, with adjacent days of equal hours merged:
 * `Mon – Wed, Fri 08:00 – 11:30 · Sat 24 hours`. Days and times that are not recognized are shown as posted.
 */
export function createHoursFormat(locale: string) {
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  const minutes = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });
  const seconds = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: 'UTC' });
  const list = new Intl.ListFormat(locale, { type: 'conjunction', style: 'narrow' });
  const wholeDay = new Intl.NumberFormat(locale, { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(24);
  const dash = weekdays
    .formatRangeToParts(dateOf(0), dateOf(1))
    .find(({ type, source }) => type === 'literal' && source === 'shared');

  const formatTime = (second: number) => (second % 60 === 0 ? minutes : seconds).format(monday + second * 1000);
  const formatPeriod = ({ startTime, endTime }: TimePeriod) => {
    const start = parseTime(startTime);
    const end = parseTime(endTime);
    if (start === undefined || end === undefined) return `${startTime}–${endTime}`;
    if (start === 0 && end % 86_400 === 0) return wholeDay;
    return `${formatTime(start)}${dash?.value ?? '–'}${formatTime(end)}`;
  };
  const formatDays = (days: ReadonlySet<number>) =>
    list.format(
      runsOf(days).map(({ first, length }) =>
        length === 1 ? weekdays.format(dateOf(first)) : weekdays.formatRange(dateOf(first), dateOf(first + length - 1)),
      ),
    );

  const formatPeriods = (timePeriods: readonly TimePeriod[]) =>
    list.format(timePeriods.toSorted(byStart).map(formatPeriod));

  const hours = (availability: Availability): string => {
    const periods = new Map<number | string, TimePeriod[]>();
    for (const { dayOfWeek, timePeriods } of availability) {
      const day = parseDay(dayOfWeek);
      periods.set(day, [...(periods.get(day) ?? []), ...timePeriods]);
    }
    const days = [...periods].filter(([, ofDay]) => ofDay.length > 0).sort(byDay);
    const byHours = Map.groupBy(days, ([, ofDay]) => formatPeriods(ofDay));
    return [...byHours]
      .map(([hours, group]) => {
        const known = new Set(group.flatMap(([day]) => (typeof day === 'number' ? [day] : [])));
        const unknown = group.flatMap(([day]) => (typeof day === 'string' ? [day] : []));
        return `${list.format([...(known.size > 0 ? [formatDays(known)] : []), ...unknown])} ${hours}`;
      })
      .join(' · ');
  };
  return { hours, periods: formatPeriods };
}

/** Merges days that follow each other, also from Sunday to Monday. */
function runsOf(days: ReadonlySet<number>): { first: number; length: number }[] {
  if (days.size === daysPerWeek) return [{ first: 0, length: daysPerWeek }];
  const starts = [...days].filter(day => !days.has((day + daysPerWeek - 1) % daysPerWeek));
  return starts.map(first => {
    let length = 1;
    while (days.has((first + length) % daysPerWeek)) length += 1;
    return { first, length };
  });
}

function dateOf(day: number): Date {
  return new Date(monday + day * millisecondsPerDay);
}

/** Parses MON to SUN and full English names as 0 to 6, as the service does; returns other days as posted. */
function parseDay(text: string): number | string {
  const name = text.toLowerCase();
  const day = dayNames.findIndex(full => name === full || name === full.slice(0, 3));
  return day === -1 ? text : day;
}

/** Parses a time as seconds since midnight. */
function parseTime(text: string): number | undefined {
  const match = /^([01]\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (!match) return undefined;
  const [, hour, minute, second = 0] = match;
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second);
}

/** Known days first, from Monday on. */
function byDay([one]: readonly [number | string, unknown], [other]: readonly [number | string, unknown]): number {
  return (typeof one === 'number' ? one : daysPerWeek) - (typeof other === 'number' ? other : daysPerWeek);
}

function byStart(one: TimePeriod, other: TimePeriod): number {
  return (parseTime(one.startTime) ?? 0) - (parseTime(other.startTime) ?? 0);
}
