import { memoize } from '@carte/base/memoize';
import type { Steps } from '@carte/base/time-slice';
import { LRUCache } from 'lru-cache';
import type { AvailabilityInput, SpecialHoursInput, TimePeriodInput } from '../generated/graph.ts';
import type { Store } from '../store/entities.ts';
import { isTimezone } from '../store/timezone.ts';

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
  readonly today: readonly Window[] | undefined;
  readonly yesterday: readonly Window[] | undefined;
}

/** In seconds since 00:00 of the day on which it begins; one past midnight ends after more than a day. */
interface Window {
  readonly start: number;
  readonly end: number;
}

export const secondsPerDay = 86_400;
const daysPerWeek = 7;
const secondsPerWeek = daysPerWeek * secondsPerDay;
export const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const dayByName = new Map(
  dayNames.flatMap((name, day): [string, number][] => [
    [name.toLowerCase(), day],
    [name.slice(0, 3).toLowerCase(), day],
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
  const { day, second, special } = local;
  const week = weekOf(availability);
  const { today = week[day], yesterday = week[(day + daysPerWeek - 1) % daysPerWeek] } = special ?? {};
  if (includes(special?.today, second) || includes(special?.yesterday, secondsPerDay + second)) {
    return week.some(windows => windows.length > 0);
  }
  return includes(today, second) || includes(yesterday, secondsPerDay + second);
}

export function* filterAvailable<Menu extends { readonly availability: readonly Availability[] }>(
  menus: readonly Menu[],
  local: LocalTime,
): Steps<Menu[]> {
  const available: Menu[] = [];
  for (const menu of menus) {
    if (isAvailable(menu.availability, local)) available.push(menu);
    yield;
  }
  return available;
}

/** The windows of each day of the week, by the periods of a menu; once for all requests that read its configuration. */
const weekOf = memoize((availability: readonly Availability[]): readonly (readonly Window[])[] => {
  const periods = Array.from({ length: daysPerWeek }, (): TimePeriod[] => []);
  for (const { dayOfWeek, timePeriods } of availability) {
    const ofDay = periods[parseDay(dayOfWeek) ?? daysPerWeek];
    if (ofDay) for (const period of timePeriods) ofDay.push(period);
  }
  return periods.map(windowsOf);
});

/** In order, and apart from each other: those that overlap are joined. Without the periods that are not recognized. */
function windowsOf(periods: readonly TimePeriod[]): readonly Window[] {
  const windows: Window[] = [];
  const parsed = periods.map(parsePeriod).filter(window => window !== undefined);
  for (const window of parsed.sort((one, other) => one.start - other.start)) {
    const last = windows.at(-1);
    if (!last || last.end < window.start) windows.push(window);
    else windows[windows.length - 1] = { start: last.start, end: Math.max(last.end, window.end) };
  }
  return windows;
}

/** Undefined if it is not recognized. */
function parsePeriod({ startTime, endTime }: TimePeriod): Window | undefined {
  const start = parseTime(startTime, 'start');
  const end = parseTime(endTime, 'end');
  if (start === undefined || end === undefined) return undefined;
  return { start, end: end <= start ? end + secondsPerDay : end };
}

function includes(windows: readonly Window[] | undefined, second: number): boolean {
  const last = windows?.[firstAfter(windows, second) - 1];
  return last !== undefined && second < last.end;
}

/** Returns the index of the first window that starts after a second, by binary search. */
function firstAfter(windows: readonly Window[], second: number): number {
  let from = 0;
  let to = windows.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((windows[middle]?.start ?? 0) > second) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Converts to a timezone, and looks up the special hours; an absent or unknown timezone is treated as UTC. */
export function toLocalTime(
  moment: Date,
  timezone: string | null | undefined,
  specialHours?: readonly SpecialHoursInput[] | null,
): LocalTime {
  const parts = formatters.memo(timezone ?? 'UTC').formatToParts(moment);
  const { weekday = '', year, month, day, hour = '', minute = '', second = '' } = valuesOf(parts);
  const date = `${year}-${month}-${day}`;
  return {
    day: dayNames.indexOf(weekday),
    second: secondOfDay(hour, minute, second),
    special: specialHours?.length
      ? { date, today: windowsOn(specialHours, date), yesterday: windowsOn(specialHours, addDays(date, -1)) }
      : undefined,
  };
}

function windowsOn(specialHours: readonly SpecialHoursInput[], date: string): readonly Window[] | undefined {
  const hours = hoursByDate(specialHours).get(date);
  return hours && windowsOfDate(hours);
}

const hoursByDate = memoize(
  (specialHours: readonly SpecialHoursInput[]) => new Map(specialHours.map(hours => [hours.date, hours])),
);

/** A store may have those of 400 dates, and most requests are about two of them. */
const windowsOfDate = memoize(({ timePeriods }: SpecialHoursInput) => windowsOf(timePeriods));

function addDays(date: string, days: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}

function secondOfDay(hour: string, minute: string, second: string): number {
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second);
}

/** The parts of a date and of a time of day. */
export const dateAndTime = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;

const valuesOf = (parts: readonly Intl.DateTimeFormatPart[]): Readonly<Record<string, string>> =>
  Object.fromEntries(parts.map(({ type, value }): [string, string] => [type, value]));

/** Formatters by timezone: creating one takes some fifty times as long as using it. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({
  max: 200,
  memoMethod: timezone => createFormatter(timezone, { weekday: 'long', ...dateAndTime }),
});

/** Treats an unknown timezone as UTC. */
export const createFormatter = (
  timezone: string,
  options: Intl.DateTimeFormatOptions,
  locale = 'en-US',
): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: isTimezone(timezone) ? timezone : 'UTC' });

type Clock = Partial<Pick<Store, 'timezone' | 'specialHours'>>;

/** Returns the earliest time from `after` on at which the menu is available by `isAvailable`; null if there is none. */
export function* nextAvailableAt(availability: readonly Availability[], after: Date, clock: Clock): Steps<Date | null> {
  const week = weekOf(availability);
  if (week.every(windows => windows.length === 0)) return null;
  const { timezone, specialHours } = clock;
  let time = after;
  while (true) {
    const local = toLocalTime(time, timezone, specialHours);
    if (isAvailable(availability, local)) return time;
    const start = addSeconds(time, secondsUntilStart(week, local, clock));
    // The clock may skip a start, or show it twice: after a change of the clock, the wait is another one.
    time = findClockChange(time, start, timezone) ?? start;
    yield;
  }
}

/** Returns the seconds until the first start after a local time; a week if there is none so soon, because of special hours. */
function secondsUntilStart(
  week: readonly (readonly Window[])[],
  { day, second, special }: LocalTime,
  { specialHours }: Clock,
): number {
  for (let days = 0; days <= daysPerWeek; days++) {
    const replaced = special && windowsOn(specialHours ?? [], addDays(special.date, days));
    const windows = replaced ?? week[(day + days) % daysPerWeek] ?? [];
    const secondsBefore = days * secondsPerDay - second;
    const next = windows[firstAfter(windows, -secondsBefore)];
    if (next) return secondsBefore + next.start;
  }
  return secondsPerWeek;
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
  const { day, second } = toLocalTime(time, timezone);
  const difference = day * secondsPerDay + second - Math.floor(time.getTime() / 1000);
  return ((difference % secondsPerWeek) + secondsPerWeek) % secondsPerWeek;
}

/** Adds seconds to the second in which a time lies. */
function addSeconds(time: Date, seconds: number): Date {
  return new Date((Math.floor(time.getTime() / 1000) + seconds) * 1000);
}
