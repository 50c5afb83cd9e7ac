import { runAtOnce } from '@carte/base/time-slice';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Availability,
  isAvailable,
  parseDay,
  parseTime,
  nextAvailableAt as stepsToNextAvailable,
  toLocalTime,
} from '../../src/menu/availability.ts';

const nextAvailableAt = (...args: Parameters<typeof stepsToNextAvailable>) => runAtOnce(stepsToNextAvailable(...args));

const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** `on('SAT 22:00-02:00', 'SUN 09:00-12:00')` */
function on(...windows: string[]): Availability[] {
  return windows.map(window => {
    const [dayOfWeek = '', startTime = '', endTime = ''] = window.split(/[ -]/);
    return { dayOfWeek, timePeriods: [{ startTime, endTime }] };
  });
}

test('days are parsed from MON to SUN and full English names in any letter case', () => {
  const full = ['Monday', 'TUESDAY', 'wednesday', 'Thursday', 'fRIDAY', 'Saturday', 'sUnDaY'];
  for (const words of [days, days.map(day => day.toLowerCase()), full]) {
    expect(words.map(parseDay)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  }
});

const noDays = ['', 'MO', 'TUES', ' MON', 'MON\n', 'Montag', '0', 'frıday', 'ſun', 'constructor', '__proto__'];
test.each(noDays)('the day %j is not parsed', word => {
  expect(parseDay(word)).toBeUndefined();
});

test.each([
  ['00:00', 0, 0],
  ['09:30', 34_200, 34_200],
  ['23:59', 86_340, 86_340],
  ['23:59:59', 86_399, 86_399],
  ['24:00', undefined, 86_400],
  ['24:00:00', undefined, 86_400],
])('the time %j is %j as a start and %j as an end', (word, start, end) => {
  expect([parseTime(word, 'start'), parseTime(word, 'end')]).toEqual([start, end]);
});

test.each([
  ...['', 'noon', '9:30', '0930', ' 09:30', '09:30\n', '09:30 AM', '09:30Z', '09:30:00.5', '٠٩:٣٠', '-1:00'],
  ...['24:00:01', '24:01', '25:00', '12:60', '12:00:60'],
])('the time %j is not parsed', word => {
  expect([parseTime(word, 'start'), parseTime(word, 'end')]).toEqual([undefined, undefined]);
});

// 2025-06-02 is a Monday.
test.each([
  ['a window includes its start', 'MON 11:00-15:00', '2025-06-02T11:00:00Z', true],
  ['a window begins no earlier', 'MON 11:00-15:00', '2025-06-02T10:59:59.999Z', false],
  ['a window lasts until its end', 'MON 11:00-15:00', '2025-06-02T14:59:59.999Z', true],
  ['a window excludes its end', 'MON 11:00-15:00', '2025-06-02T15:00:00Z', false],
  ['a window counts seconds', 'MON 11:00:30-11:00:31', '2025-06-02T11:00:30Z', true],
  ['a window does not apply on another day', 'MON 11:00-15:00', '2025-06-03T12:00:00Z', false],
  ['a window to 24:00 fills the evening', 'MON 18:00-24:00', '2025-06-02T23:59:59Z', true],
  ['a window to 24:00 ends at midnight', 'MON 18:00-24:00', '2025-06-03T00:00:00Z', false],
  ['a window to 00:00 ends at midnight', 'MON 18:00-00:00', '2025-06-03T00:00:00Z', false],
  ['an overnight window begins on its day', 'MON 22:00-02:00', '2025-06-02T22:00:00Z', true],
  ['an overnight window runs into the next day', 'MON 22:00-02:00', '2025-06-03T01:59:59Z', true],
  ['an overnight window ends on the next day', 'MON 22:00-02:00', '2025-06-03T02:00:00Z', false],
  ['an overnight window leaves out the morning of its day', 'MON 22:00-02:00', '2025-06-02T01:00:00Z', false],
  ['Sunday night runs into Monday', 'SUN 22:00-02:00', '2025-06-02T01:00:00Z', true],
  ['00:00-00:00 includes the first moment', 'MON 00:00-00:00', '2025-06-02T00:00:00Z', true],
  ['00:00-00:00 includes the last moment', 'MON 00:00-00:00', '2025-06-02T23:59:59.999Z', true],
  ['00:00-00:00 excludes the next day', 'MON 00:00-00:00', '2025-06-03T00:00:00Z', false],
  ['00:00-24:00 is the whole day', 'MON 00:00-24:00', '2025-06-02T23:59:59.999Z', true],
  ['an equal start and end last a day', 'MON 09:00-09:00', '2025-06-03T08:59:59Z', true],
  ['an equal start and end last no longer', 'MON 09:00-09:00', '2025-06-03T09:00:00Z', false],
  ['a window on an unknown day never matches', 'Montag 00:00-24:00', '2025-06-02T12:00:00Z', false],
  ['a window with an unknown start never matches', 'MON noon-24:00', '2025-06-02T12:00:00Z', false],
  ['a window with an unknown end never matches', 'MON 00:00-late', '2025-06-02T12:00:00Z', false],
  ['24:00 as a start never matches', 'MON 24:00-06:00', '2025-06-03T03:00:00Z', false],
])('%s: %s at %s is %j', (_fact, window, moment, expected) => {
  expect(isAvailable(on(window), toLocalTime(new Date(moment), 'UTC'))).toBe(expected);
});

test('nothing is available without windows', () => {
  const noon = { day: 0, second: 43_200 };
  expect(isAvailable([], noon)).toBe(false);
  expect(isAvailable([{ dayOfWeek: 'MON', timePeriods: [] }], noon)).toBe(false);
});

test('all windows of a day that is listed twice count, and unknown days and times are ignored', () => {
  const windows = on('MON 08:00-10:00', 'Montag 00:00-24:00', 'MON late-early', 'Monday 11:00-13:00');
  expect(isAvailable(windows, { day: 0, second: 12 * 3600 })).toBe(true);
  expect(isAvailable(windows, { day: 0, second: 10 * 3600 })).toBe(false);
});

test.each([
  ['the next start of the day', 'MON 11:00-15:00', '2025-06-02T10:59:59.999Z', '2025-06-02T11:00:00.000Z'],
  ['the same time while it is available', 'MON 11:00-15:00', '2025-06-02T14:59:59.999Z', '2025-06-02T14:59:59.999Z'],
  ['a week later after the end', 'MON 11:00-15:00', '2025-06-02T15:00:00Z', '2025-06-09T11:00:00.000Z'],
  ['the other day from Sunday on', 'MON 00:00-00:00', '2025-06-01T12:00:00Z', '2025-06-02T00:00:00.000Z'],
  ['never for an unknown day', 'Montag 11:00-15:00', '2025-06-02T10:00:00Z', undefined],
  ['never for an unknown time', 'MON 11:00-late', '2025-06-02T10:00:00Z', undefined],
])('is next available: %s (%s after %s)', (_fact, window, after, expected) => {
  expect(nextAvailableAt(on(window), new Date(after), { timezone: 'UTC' })?.toISOString()).toBe(expected);
});

test.each([null, undefined, '', 'Mars/Olympus_Mons', 'null', 'UTC'])('the timezone %j counts as UTC', timezone => {
  expect(toLocalTime(new Date('2025-06-02T00:00:00Z'), timezone)).toEqual({ day: 0, second: 0 });
});

test('conversion is correct for more timezones than are cached', () => {
  const moment = new Date('2025-06-02T12:00:00Z');
  for (let n = 0; n < 450; n += 1) expect(toLocalTime(moment, `Nowhere/${n}`)).toEqual({ day: 0, second: 43_200 });
  expect(toLocalTime(moment, 'Asia/Kathmandu')).toEqual({ day: 0, second: 63_900 });
});

test.each([
  ['Asia/Kathmandu', '2025-06-01T18:15:00Z', 0, 0],
  ['asia/kolkata', '2025-06-01T18:30:00Z', 0, 0],
  ['Pacific/Kiritimati', '2025-06-01T10:00:00Z', 0, 0],
  ['Pacific/Pago_Pago', '2025-06-02T10:59:59Z', 6, 86_399],
  ['UTC', '1969-12-31T23:59:59.999Z', 2, 86_399],
  ['UTC', '+275760-09-13T00:00:00Z', 5, 0],
  ['UTC', '-271821-04-20T00:00:00Z', 1, 0],
  ['UTC', '0000-01-01T06:00:00Z', 5, 21_600],
])('%s at %s shows day %i, second %i', (timezone, moment, day, second) => {
  expect(toLocalTime(new Date(moment), timezone)).toEqual({ day, second });
});

const week = 7 * 1440;
type Change = readonly [timezone: string, at: string, before: number, after: number];
type Window = { readonly day: number; readonly start: number; readonly end: number };

describe('across a daylight saving transition', () => {
  test.each([
    ['a window inside the skipped hour is never available', 'SUN 02:15-02:45', '2025-03-30T00:59:59Z', false],
    ['a window inside the skipped hour is never available', 'SUN 02:15-02:45', '2025-03-30T01:15:00Z', false],
    ['a window that begins in the skipped hour opens after it', 'SUN 02:30-04:00', '2025-03-30T01:00:00Z', true],
    ['an overnight window in spring ends by the clock', 'SAT 22:00-03:30', '2025-03-30T01:29:59Z', true],
    ['an overnight window in spring ends by the clock', 'SAT 22:00-03:30', '2025-03-30T01:30:00Z', false],
    ['the repeated hour is available the first time', 'SUN 02:15-02:45', '2025-10-26T00:15:00Z', true],
    ['the repeated hour is unavailable in between', 'SUN 02:15-02:45', '2025-10-26T00:45:00Z', false],
    ['the repeated hour is available the second time', 'SUN 02:15-02:45', '2025-10-26T01:15:00Z', true],
    ['an overnight window in autumn ends by the clock', 'SAT 22:00-02:30', '2025-10-26T00:30:00Z', false],
    ['an overnight window in autumn opens again', 'SAT 22:00-02:30', '2025-10-26T01:29:59Z', true],
  ])('%s: %s at %s is %j', (_fact, window, moment, expected) => {
    expect(isAvailable(on(window), toLocalTime(new Date(moment), 'Europe/Berlin'))).toBe(expected);
  });

  // The time of a transition, and the UTC offset in minutes before and after it.
  const changes: readonly Change[] = [
    ['Europe/Berlin', '2025-03-30T01:00Z', 60, 120],
    ['Europe/Berlin', '2025-10-26T01:00Z', 120, 60],
    ['America/New_York', '2025-03-09T07:00Z', -300, -240],
    ['America/New_York', '2025-11-02T06:00Z', -240, -300],
    ['Australia/Lord_Howe', '2025-04-05T15:00Z', 660, 630],
    ['Australia/Lord_Howe', '2025-10-04T15:30Z', 630, 660],
    ['Pacific/Chatham', '2025-04-05T14:00Z', 825, 765],
    ['Africa/Cairo', '2025-04-24T22:00Z', 120, 180],
    ['Africa/Cairo', '2025-10-30T21:00Z', 180, 120],
    ['Pacific/Apia', '2011-12-30T10:00Z', -600, 840],
    ['Asia/Kathmandu', '1985-12-31T18:30Z', 330, 345],
  ];

  /** Local times of every minute in the week around a transition, with the expected minute of the week. */
  function weekAround([timezone, at, before, after]: Change) {
    const change = Date.parse(at) / 60_000;
    return Array.from({ length: week }, (_, n) => {
      const minute = change - week / 2 + n;
      const shifted = new Date((minute + (minute < change ? before : after)) * 60_000);
      const localMinute = shifted.getTime() / 60_000;
      const shown = ((shifted.getUTCDay() + 6) % 7) * 1440 + shifted.getUTCHours() * 60 + shifted.getUTCMinutes();
      const moment = new Date(minute * 60_000);
      return { moment, timezone, local: toLocalTime(moment, timezone), shown, localMinute };
    });
  }

  const weeks = changes.map(weekAround);

  test.each(changes.map(([timezone, at], index) => ({ timezone, at, minutes: weeks[index] ?? [] })))(
    '$timezone shows the right time in every minute around $at',
    ({ minutes }) => {
      expect(minutes).toHaveLength(week);
      expect(minutes.filter(({ local, shown }) => local.day * 86_400 + local.second !== shown * 60)).toEqual([]);
    },
  );

  const anyWindow = fc.record({ day: fc.nat({ max: 6 }), start: fc.nat({ max: 1439 }), end: fc.nat({ max: 1440 }) });

  function print({ day, start, end }: Window): string {
    const [from, to] = [start, end].map(minute => new Date(minute * 60_000).toISOString().slice(11, 16));
    return `${days[day]} ${from}-${end === 1440 ? '24:00' : to}`;
  }

  /** The minutes of the week from a window's start until its end. */
  function walk({ day, start, end }: Window): number[] {
    const shown: number[] = [];
    let minute = start;
    do {
      shown.push((day * 1440 + minute) % week);
      minute += 1;
    } while (minute % 1440 !== end % 1440);
    return shown;
  }

  test('availability agrees with a minute-by-minute simulation of random windows', () => {
    fc.assert(
      fc.property(fc.constantFrom(...weeks), fc.array(anyWindow, { maxLength: 6 }), (minutes, windows) => {
        const available = new Set(windows.flatMap(walk));
        const availability = on(...windows.map(print));
        const wrong = minutes.filter(({ local, shown }) => isAvailable(availability, local) !== available.has(shown));
        expect(wrong).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('the next time of availability agrees with the same simulation', () => {
    const anyMinute = fc.nat({ max: week - 1 });
    fc.assert(
      fc.property(fc.constantFrom(...weeks), fc.array(anyWindow), anyMinute, (minutes, windows, from) => {
        const available = new Set(windows.flatMap(walk));
        const expected = minutes.slice(from).find(({ shown }) => available.has(shown))?.moment;
        const last = minutes.at(-1)?.moment;
        const { moment = new Date(), timezone } = minutes[from] ?? {};
        const found = nextAvailableAt(on(...windows.map(print)), moment, { timezone });
        if (expected) expect(found).toEqual(expected);
        else if (windows.length > 0) expect(found?.getTime()).toBeGreaterThan(Number(last));
        else expect(found).toBeNull();
      }),
    );
  });

  type Minutes = ReturnType<typeof weekAround>;
  const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
  const firstDay = (minutes: Minutes) => Math.floor((minutes[0]?.localMinute ?? 0) / 1440) - 1;
  const anySpecial = fc.uniqueArray(
    fc.record({ offset: fc.nat({ max: 9 }), windows: fc.array(anyWindow, { maxLength: 2 }) }),
    { selector: ({ offset }) => offset, maxLength: 9 },
  );
  type Special = readonly { readonly offset: number; readonly windows: readonly Window[] }[];

  const toSpecialHours = (minutes: Minutes, special: Special) =>
    special.map(({ offset, windows }) => ({
      date: dateOf(firstDay(minutes) + offset),
      timePeriods: windows.map(print).map(text => {
        const [, startTime = '', endTime = ''] = text.split(/[ -]/);
        return { startTime, endTime };
      }),
    }));

  /** The minutes of the clock in which something is available, walked from each date on which it begins. */
  function walkDates(minutes: Minutes, windows: readonly Window[], special: Special): Set<number> {
    const available = new Set<number>();
    for (let offset = 0; offset < 12; offset++) {
      const date = firstDay(minutes) + offset;
      const weekday = (date + 3) % 7;
      const begun =
        special.find(hours => hours.offset === offset)?.windows ?? windows.filter(({ day }) => day === weekday);
      for (const { start, end } of windows.length > 0 ? begun : []) {
        let minute = start;
        do {
          available.add(date * 1440 + minute);
          minute += 1;
        } while (minute % 1440 !== end % 1440);
      }
    }
    return available;
  }

  test('special hours agree with a simulation by date', () => {
    const args = [
      fc.constantFrom(...weeks),
      fc.array(anyWindow, { maxLength: 5 }),
      anySpecial,
      fc.nat({ max: week - 1 }),
    ] as const;
    fc.assert(
      fc.property(...args, (minutes, windows, special, from) => {
        const available = walkDates(minutes, windows, special);
        const availability = on(...windows.map(print));
        const specialHours = toSpecialHours(minutes, special);
        // Every minute would take long: one in a prime number of them.
        for (const { moment, timezone, localMinute } of minutes.filter((_, index) => index % 97 === from % 97)) {
          const isFound = isAvailable(availability, toLocalTime(moment, timezone, specialHours));
          expect([moment, isFound]).toEqual([moment, available.has(localMinute)]);
        }
        const { moment = new Date(), timezone } = minutes[from] ?? {};
        const expected = minutes.slice(from).find(({ localMinute }) => available.has(localMinute))?.moment;
        const found = nextAvailableAt(availability, moment, { timezone, specialHours });
        if (expected) expect(found).toEqual(expected);
        else if (windows.length > 0) expect(found?.getTime()).toBeGreaterThan(Number(minutes.at(-1)?.moment));
        else expect(found).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});

test('the next time is found after weeks of special hours', () => {
  const closed = Array.from({ length: 400 }, (_, day) => ({
    date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    timePeriods: [],
  }));
  const clock = { timezone: 'Europe/Lisbon', specialHours: closed };
  expect(nextAvailableAt(on('MON 09:00-12:00'), new Date('2025-12-31T12:00Z'), clock)).toEqual(
    new Date('2027-02-08T09:00Z'),
  );
});

test('of special hours, only those of a date and of the one before are parsed', () => {
  let parsed = 0;
  const hours = Array.from({ length: 28 }, (_, day) => ({
    date: `2026-02-${String(day + 1).padStart(2, '0')}`,
    get timePeriods() {
      parsed += 1;
      return [{ startTime: '10:00', endTime: '11:00' }];
    },
  }));
  const { special } = toLocalTime(new Date('2026-02-10T12:00:00Z'), 'UTC', hours);
  expect([special?.today, special?.yesterday]).toEqual(Array(2).fill([{ start: 36_000, end: 39_600 }]));
  expect(parsed).toBe(2);
});
