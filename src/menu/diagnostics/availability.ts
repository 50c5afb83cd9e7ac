import { isPause } from '@carte/base/time-slice';
import { parseDay, parseTime, secondsPerDay } from '../availability.ts';
import type { MenuNode } from '../configuration.ts';
import type { EntityCheck, Problem, Problems } from './context.ts';
import { pluralize, quote } from './messages.ts';

type PathInMenu = NonNullable<Problem['at']>;

/** A parsed time period; `start` and `end` are seconds since 00:00 of its day, as posted. */
interface Window {
  readonly at: PathInMenu;
  readonly day: number;
  readonly start: number;
  readonly end: number;
  /** Seconds since Monday 00:00; `to` may lie beyond the end of the week. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export const checkAvailability: EntityCheck<'menus'> = function* (menu) {
  if (menu.availability.every(({ timePeriods }) => timePeriods.length === 0)) {
    const text = 'has no times of availability, so it is never available';
    yield { code: 'MENU_NEVER_AVAILABLE', at: ['availability'], text };
  }
  const windows = yield* parseWindows(menu);
  yield* checkOverlaps(windows);
  yield* checkLastMinutes(windows);
};

/** Reports days and times that do not parse or are ambiguous, and returns the windows of those that parse. */
function* parseWindows({ availability }: MenuNode): Generator<Problem | undefined, Window[]> {
  const unknownTime = (at: PathInMenu, bound: string): Problem => {
    const text = `is not available ${bound}, which is not understood; times are written as 09:30`;
    return { code: 'UNKNOWN_TIME', at, text };
  };
  const windows: Window[] = [];
  const days = new Set<number | undefined>();
  for (const [index, { dayOfWeek, timePeriods }] of availability.entries()) {
    if (isPause(index)) yield;
    const day = parseDay(dayOfWeek);
    const atDay = ['availability', index, 'dayOfWeek'];
    if (day === undefined) {
      const text = `is not available on the day ${quote(dayOfWeek)}, which is not understood; days are MON to SUN`;
      yield { code: 'UNKNOWN_DAY', at: atDay, text };
    } else if (days.has(day)) {
      const text = `lists ${quote(dayOfWeek)} more than once; all of its windows count`;
      yield { code: 'DUPLICATE_DAY', at: atDay, text };
    }
    days.add(day);
    for (const [period, { startTime, endTime }] of timePeriods.entries()) {
      if (isPause(period)) yield;
      const at = ['availability', index, 'timePeriods', period];
      const [start, end] = [parseTime(startTime, 'start'), parseTime(endTime, 'end')];
      if (start === undefined) yield unknownTime([...at, 'startTime'], `from ${quote(startTime)}`);
      if (end === undefined) yield unknownTime([...at, 'endTime'], `until ${quote(endTime)}`);
      if (day === undefined || start === undefined || end === undefined) continue;
      const text = `${dayOfWeek} ${startTime}–${endTime}`;
      // 00:00–00:00 is the usual notation for a whole day.
      if (start === end && start !== 0) {
        yield {
          code: 'AMBIGUOUS_WINDOW',
          at,
          text: `has the window ${text}, which is read as 24 hours, not as closed`,
        };
      }
      const from = day * secondsPerDay + start;
      const to = from - start + (end <= start ? end + secondsPerDay : end);
      windows.push({ at, day, start, end, from, to, text });
    }
  }
  return windows;
}

const secondsPerWeek = 7 * secondsPerDay;

function* checkOverlaps(windows: readonly Window[]): Problems {
  const sorted = windows.toSorted((a, b) => a.from - b.from);
  // Starts with the window of Sunday that reaches furthest into Monday.
  let latest = sorted
    .filter(({ to }) => to > secondsPerWeek)
    .map(window => ({ ...window, to: window.to - secondsPerWeek }))
    .reduce<Window | undefined>(laterEnding, undefined);
  for (const [index, window] of sorted.entries()) {
    if (isPause(index)) yield;
    if (latest && window.from < latest.to && window.at !== latest.at) {
      const text = `has windows that overlap: ${latest.text} and ${window.text}`;
      yield { code: 'OVERLAPPING_WINDOWS', at: window.at, text };
    }
    latest = laterEnding(latest, window);
  }
}

function laterEnding(a: Window | undefined, b: Window): Window {
  return a && a.to >= b.to ? a : b;
}

/** Finds windows that end at 23:59 where the next day starts at 00:00: probably meant to be continuous. */
function* checkLastMinutes(windows: readonly Window[]): Problems {
  const daysFromMidnight = new Set(windows.filter(({ start }) => start === 0).map(({ day }) => day));
  const interrupted = windows.filter(
    ({ day, end }) => end === secondsPerDay - 60 && daysFromMidnight.has((day + 1) % 7),
  );
  const [first] = interrupted;
  if (!first) return;
  const nights = pluralize(new Set(interrupted.map(({ day }) => day)).size, 'night');
  const text = `is not available from 23:59 to 00:00 on ${nights} a week; a day ends at 24:00`;
  yield { code: 'LAST_MINUTE_UNAVAILABLE', at: [...first.at, 'endTime'], text };
}
