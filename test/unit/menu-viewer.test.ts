import { describe, expect, test } from 'vitest';
import { formatAvailability, formatPrice, formatPriceChange, formatRule } from '../../web/menu/format.ts';
import { chooseLanguage, languageName, storeName } from '../../web/menu/languages.ts';
import { formatLocalTime, parseLocalTime } from '../../web/menu/local-time.ts';
import { formatSearch, parseSearch } from '../../web/menu/url.ts';

describe('local time', () => {
  test.each([
    ['2026-03-07T01:30', 'Europe/Lisbon', '2026-03-07T01:30:00.000Z'],
    ['2026-07-07T01:30', 'Europe/Lisbon', '2026-07-07T00:30:00.000Z'],
    ['2026-03-07T01:30', 'Asia/Tokyo', '2026-03-06T16:30:00.000Z'],
    ['2026-03-07T01:30', 'America/Mexico_City', '2026-03-07T07:30:00.000Z'],
    ['2026-03-07T01:30', null, '2026-03-07T01:30:00.000Z'],
    ['2026-03-07T01:30', 'Mars/Base', '2026-03-07T01:30:00.000Z'],
    ['2026-03-29T00:30', 'Europe/Lisbon', '2026-03-29T00:30:00.000Z'],
    ['2026-03-29T02:30', 'Europe/Lisbon', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T03:00', 'Europe/Lisbon', '2026-10-25T03:00:00.000Z'],
    ['2026-03-08T03:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ])('%s in %s is %s, and back', (local, timezone, instant) => {
    const time = parseLocalTime(local, timezone);
    expect(time?.toISOString()).toBe(instant);
    expect(time && formatLocalTime(time, timezone)).toBe(local);
  });

  test('a time with an offset ignores the timezone of the store', () => {
    expect(parseLocalTime('2026-03-07T01:30:00Z', 'Asia/Tokyo')?.toISOString()).toBe('2026-03-07T01:30:00.000Z');
    expect(parseLocalTime('2026-03-07T01:30+01:00', 'Asia/Tokyo')?.toISOString()).toBe('2026-03-07T00:30:00.000Z');
  });

  test('a time that a clock change skips is read as an adjacent one', () => {
    expect(parseLocalTime('2026-03-29T01:30', 'Europe/Lisbon')?.toISOString()).toMatch(/^2026-03-29T0[01]:30/);
  });

  test.each(['tomorrow', '2026-13-01T00:00', '2026-03-07', ''])('"%s" is not a time', text => {
    expect(parseLocalTime(text, 'Europe/Lisbon')).toBeUndefined();
  });
});

describe('the URL', () => {
  test.each(['?store=a&language=pt&at=2026-03-07T01:30', '?store=a+b%26c&at=any', '?'])(
    '%s is parsed and formatted without loss',
    search => {
      expect(formatSearch(parseSearch(search))).toBe(search);
    },
  );

  test('without parameters the time is now', () => {
    expect(parseSearch('')).toEqual({ store: undefined, language: undefined, at: 'now' });
  });
});

describe('languages', () => {
  test('the first preferred language that is available is chosen, by its primary subtag if need be', () => {
    expect(chooseLanguage(['en', 'pt_PT'], ['fr', 'pt-BR', 'en'])).toBe('pt_PT');
    expect(chooseLanguage(['en', 'pt', 'pt_BR'], ['pt-BR'])).toBe('pt_BR');
    expect(chooseLanguage(['ja', 'en'], ['fr'])).toBe('ja');
    expect(chooseLanguage([], ['fr'])).toBeUndefined();
  });

  test('a key that is not a language is its own name', () => {
    expect(languageName('pt')).toBe('português (pt)');
    expect(languageName('no language!')).toBe('no language!');
  });

  test('the name of a store comes from its translations, or from any map of strings', () => {
    expect(storeName({ translations: { en: 'Lisbon', pt: 'Lisboa' } }, ['pt'])).toBe('Lisboa');
    expect(storeName({ en: 'Lisbon' }, ['pt'])).toBe('Lisbon');
    expect(storeName({ translations: 7 }, ['pt'])).toBeUndefined();
  });
});

describe('formats', () => {
  test('prices have two decimals and no currency', () => {
    expect([0, 5, 1250, -50].map(formatPrice)).toEqual(['0.00', '0.05', '12.50', '−0.50']);
    expect([0, 80, -50].map(formatPriceChange)).toEqual(['', '+0.80', '−0.50']);
  });

  test.each([
    [1, 1, 0, 'choose 1'],
    [0, 3, 1, 'up to 3, 1 free'],
    [1, 4, 2, 'choose 1 to 4, 2 free'],
  ])('from %i to %i, %i free: %s', (groupMin, groupMax, chargeAfter, expected) => {
    expect(formatRule({ groupMin, groupMax, chargeAfter })).toBe(expected);
  });

  test('successive days with equal hours are merged', () => {
    const day = (dayOfWeek: string, ...windows: [string, string][]) => ({
      dayOfWeek,
      timePeriods: windows.map(([startTime, endTime]) => ({ startTime, endTime })),
    });
    const week = [
      day('MON', ['08:00', '11:30']),
      day('Tuesday', ['08:00', '11:30']),
      day('sun', ['09:00', '13:00'], ['15:00', '19:00']),
      day('HOLIDAY', ['00:00', '00:00']),
    ];
    expect(formatAvailability(week)).toBe('Mon–Tue 08:00–11:30, Sun 09:00–13:00 & 15:00–19:00, HOLIDAY 00:00–00:00');
  });
});
