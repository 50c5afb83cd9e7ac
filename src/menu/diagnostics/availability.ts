import type { MenuInput } from '../../generated/graph.ts';
import { parseDay, parseTime, secondsPerDay } from '../availability.ts';
import type { Finding, Findings, Path, ValidationContext } from './context.ts';
import { displayName, pluralize, quote } from './messages.ts';

/** A parsed time period; `start` and `end` are seconds since 00:00 of its day, as posted. */
interface Window {
  readonly path: Path;
  readonly day: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Checks the days and times of menus, and the windows that they describe. */
export function* checkAvailability({ menus }: ValidationContext): Findings {
  for (const [index, menu] of menus.entries()) {
    const path: Path = ['menus', index, 'availability'];
    if (menu.availability.every(({ timePeriods }) => timePeriods.length === 0)) {
      const message = `Menu ${displayName(menu)} has no times of availability, so it is never available.`;
      yield { code: 'MENU_NEVER_AVAILABLE', path, message };
    }
    yield* checkDays(menu, path);
    yield* checkTimes(menu, path);
    const windows = parseWindows(menu, path);
    yield* checkAmbiguity(menu, windows);
    yield* checkOverlaps(menu, windows);
    yield* checkLastMinutes(menu, windows);
    yield;
  }
}

function* checkDays(menu: MenuInput, path: Path): Findings {
  const seen = new Set<number>();
  for (const [index, { dayOfWeek }] of menu.availability.entries()) {
    const day = parseDay(dayOfWeek);
    const dayPath: Path = [...path, index, 'dayOfWeek'];
    if (day === undefined) {
      const problem = `is not available on the day ${quote(dayOfWeek)}, which is not understood; days are MON to SUN`;
      yield { code: 'UNKNOWN_DAY', path: dayPath, message: `Menu ${displayName(menu)} ${problem}.` };
    } else if (seen.has(day)) {
      const message = `Menu ${displayName(menu)} lists ${quote(dayOfWeek)} more than once; all of its windows count.`;
      yield { code: 'DUPLICATE_DAY', path: dayPath, message };
    } else {
      seen.add(day);
    }
  }
}

function* checkTimes(menu: MenuInput, path: Path): Findings {
  const unknownTime = (timePath: Path, bound: string): Finding => {
    const problem = `is not available ${bound}, which is not understood; times are written as 09:30`;
    return { code: 'UNKNOWN_TIME', path: timePath, message: `Menu ${displayName(menu)} ${problem}.` };
  };
  for (const [index, { timePeriods }] of menu.availability.entries()) {
    for (const [period, { startTime, endTime }] of timePeriods.entries()) {
      const periodPath: Path = [...path, index, 'timePeriods', period];
      if (parseTime(startTime, 'start') === undefined)
        yield unknownTime([...periodPath, 'startTime'], `from ${quote(startTime)}`);
      if (parseTime(endTime, 'end') === undefined)
        yield unknownTime([...periodPath, 'endTime'], `until ${quote(endTime)}`);
    }
  }
}

/** Omits periods that do not parse, which `checkDays` and `checkTimes` report. */
function parseWindows(menu: MenuInput, path: Path): Window[] {
  return menu.availability.flatMap(({ dayOfWeek, timePeriods }, index) =>
    timePeriods.flatMap(({ startTime, endTime }, period) => {
      const [day, start, end] = [parseDay(dayOfWeek), parseTime(startTime, 'start'), parseTime(endTime, 'end')];
      if (day === undefined || start === undefined || end === undefined) return [];
      const windowPath: Path = [...path, index, 'timePeriods', period];
      return [{ path: windowPath, day, start, end, text: `${dayOfWeek} ${startTime}–${endTime}` }];
    }),
  );
}

function* checkAmbiguity(menu: MenuInput, windows: readonly Window[]): Findings {
  for (const { path, start, end, text } of windows) {
    // 00:00–00:00 is the usual notation for a whole day.
    if (start !== end || start === 0) continue;
    const message = `Menu ${displayName(menu)} has the window ${text}, which is read as 24 hours, not as closed.`;
    yield { code: 'AMBIGUOUS_WINDOW', path, message };
  }
}

const secondsPerWeek = 7 * secondsPerDay;

/** A window as seconds since Monday 00:00; `to` may lie beyond the end of the week. */
interface Interval {
  readonly window: Window;
  readonly from: number;
  readonly to: number;
}

function* checkOverlaps(menu: MenuInput, windows: readonly Window[]): Findings {
  const intervals = windows.map(toInterval).sort((a, b) => a.from - b.from);
  // Starts with the interval of Sunday that reaches furthest into Monday.
  let latest = intervals
    .filter(({ to }) => to > secondsPerWeek)
    .map(interval => ({ ...interval, to: interval.to - secondsPerWeek }))
    .reduce<Interval | undefined>(laterEnding, undefined);
  for (const interval of intervals) {
    if (latest && interval.from < latest.to && interval.window !== latest.window) {
      const both = `${latest.window.text} and ${interval.window.text}`;
      const message = `Menu ${displayName(menu)} has windows that overlap: ${both}.`;
      yield { code: 'OVERLAPPING_WINDOWS', path: interval.window.path, message };
    }
    latest = laterEnding(latest, interval);
  }
}

function toInterval(window: Window): Interval {
  const { day, start, end } = window;
  const midnight = day * secondsPerDay;
  return { window, from: midnight + start, to: midnight + (end <= start ? end + secondsPerDay : end) };
}

function laterEnding(a: Interval | undefined, b: Interval): Interval {
  return a && a.to >= b.to ? a : b;
}

/** Finds windows that end at 23:59 where the next day starts at 00:00: probably meant to be continuous. */
function* checkLastMinutes(menu: MenuInput, windows: readonly Window[]): Findings {
  const daysFromMidnight = new Set(windows.filter(({ start }) => start === 0).map(({ day }) => day));
  const interrupted = windows.filter(
    ({ day, end }) => end === secondsPerDay - 60 && daysFromMidnight.has((day + 1) % 7),
  );
  const [first] = interrupted;
  if (!first) return;
  const nights = pluralize(new Set(interrupted.map(({ day }) => day)).size, 'night');
  const problem = `is not available from 23:59 to 00:00 on ${nights} a week; a day ends at 24:00`;
  const path: Path = [...first.path, 'endTime'];
  yield { code: 'LAST_MINUTE_UNAVAILABLE', path, message: `Menu ${displayName(menu)} ${problem}.` };
}
