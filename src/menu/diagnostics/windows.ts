import type { DiagnosedMenu, Finding, Path } from './subject.ts';
import { called, counted } from './wording.ts';

/** A window of a menu; the times are seconds since the midnight that its day begins with, as posted. */
export interface Window {
  readonly path: Path;
  readonly day: number;
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

/** A window as a stretch of the week, which may run beyond Sunday's midnight. */
interface Stretch {
  readonly window: Window;
  readonly from: number;
  readonly to: number;
}

const dayLength = 86_400;
const weekLength = 7 * dayLength;

export function* checkWindows(menu: DiagnosedMenu, windows: readonly Window[]): Generator<Finding> {
  for (const { path, start, end, words } of windows) {
    // 00:00–00:00 is the usual way to write a whole day.
    if (start !== end || start === 0) continue;
    const message = `Menu ${called(menu)} has the window ${words}, which is read as 24 hours, not as closed.`;
    yield { code: 'AMBIGUOUS_WINDOW', path, message };
  }
  yield* checkOverlaps(menu, windows);
  yield* checkLastMinutes(menu, windows);
}

function* checkOverlaps(menu: DiagnosedMenu, windows: readonly Window[]): Generator<Finding> {
  const week = windows.map(stretchOf).sort((a, b) => a.from - b.from);
  let longest = week
    .filter(({ to }) => to > weekLength)
    .map(stretch => ({ ...stretch, to: stretch.to - weekLength }))
    .reduce<Stretch | undefined>(later, undefined);
  for (const stretch of week) {
    if (longest && stretch.from < longest.to && stretch.window !== longest.window) {
      const both = `${longest.window.words} and ${stretch.window.words}`;
      const message = `Menu ${called(menu)} has windows that overlap: ${both}.`;
      yield { code: 'OVERLAPPING_WINDOWS', path: stretch.window.path, message };
    }
    longest = later(longest, stretch);
  }
}

function stretchOf(window: Window): Stretch {
  const { day, start, end } = window;
  const from = day * dayLength + start;
  return { window, from, to: day * dayLength + (end <= start ? end + dayLength : end) };
}

function later(a: Stretch | undefined, b: Stretch): Stretch {
  return a && a.to >= b.to ? a : b;
}

/** Who is open round the clock often writes 23:59, and is closed for a minute every night. */
function* checkLastMinutes(menu: DiagnosedMenu, windows: readonly Window[]): Generator<Finding> {
  const fromMidnight = new Set(windows.filter(({ start }) => start === 0).map(({ day }) => day));
  const cut = windows.filter(({ day, end }) => end === dayLength - 60 && fromMidnight.has((day + 1) % 7));
  const [first] = cut;
  if (!first) return;
  const nights = counted(new Set(cut.map(({ day }) => day)).size, 'night');
  const message = `is off sale from 23:59 to 00:00 on ${nights} a week; a day ends at 24:00.`;
  yield { code: 'LAST_MINUTE_OFF_SALE', path: [...first.path, 'endTime'], message: `Menu ${called(menu)} ${message}` };
}
