import { describe, expect, test } from 'vitest';
import { readChoice, writeChoice } from '../../web/menu/address.ts';
import { momentOf, wallTime } from '../../web/menu/clock.ts';
import { languageName, preferred, storeName } from '../../web/menu/languages.ts';
import { hours, price, priceChange, rule } from '../../web/menu/words.ts';

describe('the time on a store\u2019s wall', () => {
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
  ])('%s in %s is %s, and back', (wall, timezone, instant) => {
    const moment = momentOf(wall, timezone);
    expect(moment?.toISOString()).toBe(instant);
    expect(moment && wallTime(moment, timezone)).toBe(wall);
  });

  test('a text with a zone is that moment, whatever the store\u2019s timezone', () => {
    expect(momentOf('2026-03-07T01:30:00Z', 'Asia/Tokyo')?.toISOString()).toBe('2026-03-07T01:30:00.000Z');
    expect(momentOf('2026-03-07T01:30+01:00', 'Asia/Tokyo')?.toISOString()).toBe('2026-03-07T00:30:00.000Z');
  });

  test('a time that a clock change leaves out is read as one beside it', () => {
    expect(momentOf('2026-03-29T01:30', 'Europe/Lisbon')?.toISOString()).toMatch(/^2026-03-29T0[01]:30/);
  });

  test.each(['tomorrow', '2026-13-01T00:00', '2026-03-07', ''])('"%s" is no time', text => {
    expect(momentOf(text, 'Europe/Lisbon')).toBeUndefined();
  });
});

describe('the address', () => {
  test.each(['?store=a&language=pt&at=2026-03-07T01:30', '?store=a+b%26c&at=any', '?'])(
    '%s keeps the choice',
    search => {
      expect(writeChoice(readChoice(search))).toBe(search);
    },
  );

  test('an empty address means now', () => {
    expect(readChoice('')).toEqual({ store: undefined, language: undefined, at: 'now' });
  });
});

describe('languages', () => {
  test('the first one that the reader wants and the menu has is taken, by its base if need be', () => {
    expect(preferred(['en', 'pt_PT'], ['fr', 'pt-BR', 'en'])).toBe('pt_PT');
    expect(preferred(['en', 'pt', 'pt_BR'], ['pt-BR'])).toBe('pt_BR');
    expect(preferred(['ja', 'en'], ['fr'])).toBe('ja');
    expect(preferred([], ['fr'])).toBeUndefined();
  });

  test('a key that is no language stays as it is', () => {
    expect(languageName('pt')).toBe('português (pt)');
    expect(languageName('no language!')).toBe('no language!');
  });

  test('a store is named by its translations, or by any map of texts', () => {
    expect(storeName({ translations: { en: 'Lisbon', pt: 'Lisboa' } }, ['pt'])).toBe('Lisboa');
    expect(storeName({ en: 'Lisbon' }, ['pt'])).toBe('Lisbon');
    expect(storeName({ translations: 7 }, ['pt'])).toBeUndefined();
  });
});

describe('words', () => {
  test('prices have two decimals and no currency', () => {
    expect([0, 5, 1250, -50].map(price)).toEqual(['0.00', '0.05', '12.50', '−0.50']);
    expect([0, 80, -50].map(priceChange)).toEqual(['', '+0.80', '−0.50']);
  });

  test.each([
    [1, 1, 0, 'choose 1'],
    [0, 3, 1, 'up to 3, 1 free'],
    [1, 4, 2, 'choose 1 to 4, 2 free'],
  ])('from %i to %i, %i free: %s', (groupMin, groupMax, chargeAfter, words) => {
    expect(rule({ groupMin, groupMax, chargeAfter })).toBe(words);
  });

  test('days that follow each other with equal hours are taken together', () => {
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
    expect(hours(week)).toBe('Mon–Tue 08:00–11:30, Sun 09:00–13:00 & 15:00–19:00, HOLIDAY 00:00–00:00');
  });
});
