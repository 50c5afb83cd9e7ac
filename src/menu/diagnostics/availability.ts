import { parseDay, parseTime } from '../availability.ts';
import type { DiagnosedMenu, Finding, Path, Subject } from './subject.ts';
import { checkWindows, type Window } from './windows.ts';
import { called, quoted } from './wording.ts';

/** When each menu is on sale: words that are not understood, and windows that are doubtful. */
export function* checkAvailability({ menus }: Subject): Generator<Finding> {
  for (const [at, menu] of menus.entries()) {
    if (menu.availability.every(({ timePeriods }) => timePeriods.length === 0)) {
      const message = `Menu ${called(menu)} has no times of availability, so it is never on sale.`;
      yield { code: 'MENU_NEVER_ON_SALE', path: ['menus', at, 'availability'], message };
    }
    yield* checkWords(menu, at);
    yield* checkDays(menu, at);
    yield* checkWindows(menu, windowsOf(menu, at));
  }
}

function* checkWords(menu: DiagnosedMenu, at: number): Generator<Finding> {
  for (const [position, { dayOfWeek, timePeriods }] of menu.availability.entries()) {
    const path = ['menus', at, 'availability', position] as const;
    if (parseDay(dayOfWeek) === undefined) {
      const message = `is not on sale on the day ${quoted(dayOfWeek)}, which is not understood; days are MON to SUN.`;
      yield { code: 'UNKNOWN_DAY', path: [...path, 'dayOfWeek'], message: `Menu ${called(menu)} ${message}` };
    }
    for (const [index, { startTime, endTime }] of timePeriods.entries()) {
      const period = [...path, 'timePeriods', index] as const;
      if (parseTime(startTime, 'start') === undefined) yield unknownTime(menu, [...period, 'startTime'], startTime);
      if (parseTime(endTime, 'end') === undefined) yield unknownTime(menu, [...period, 'endTime'], endTime);
    }
  }
}

function unknownTime(menu: DiagnosedMenu, path: Path, word: string): Finding {
  const role = path.at(-1) === 'startTime' ? 'from' : 'until';
  const message = `is not on sale ${role} ${quoted(word)}, which is not understood; times are written as 09:30.`;
  return { code: 'UNKNOWN_TIME', path, message: `Menu ${called(menu)} ${message}` };
}

function* checkDays(menu: DiagnosedMenu, at: number): Generator<Finding> {
  const seen = new Set<number>();
  for (const [position, { dayOfWeek }] of menu.availability.entries()) {
    const day = parseDay(dayOfWeek);
    if (day !== undefined && seen.has(day)) {
      const message = `Menu ${called(menu)} lists ${quoted(dayOfWeek)} more than once; all of its windows count.`;
      yield { code: 'DUPLICATE_DAY', path: ['menus', at, 'availability', position, 'dayOfWeek'], message };
    }
    if (day !== undefined) seen.add(day);
  }
}

/** The windows that are understood. */
function windowsOf(menu: DiagnosedMenu, at: number): Window[] {
  return menu.availability.flatMap(({ dayOfWeek, timePeriods }, position) =>
    timePeriods.flatMap(({ startTime, endTime }, index) => {
      const [day, start, end] = [parseDay(dayOfWeek), parseTime(startTime, 'start'), parseTime(endTime, 'end')];
      if (day === undefined || start === undefined || end === undefined) return [];
      const path = ['menus', at, 'availability', position, 'timePeriods', index] as const;
      return [{ path, day, start, end, words: `${dayOfWeek} ${startTime}–${endTime}` }];
    }),
  );
}
