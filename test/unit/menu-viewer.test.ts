import { describe, expect, test } from 'vitest';
import { decimalOf } from '../../src/store/currency.ts';
import { createFormat } from '../../web/menu/format.ts';
import { createHoursFormat } from '../../web/menu/hours.ts';
import { chooseLanguage, directionOf, languageName, localeOf, storeName } from '../../web/menu/languages.ts';
import { formatLocalTime, parseLocalTime } from '../../web/menu/local-time.ts';
import { textsFor } from '../../web/menu/texts.ts';
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

  const noTimes = ['tomorrow', '2026-13-01T00:00', '2026-02-30T00:00', '2026-03-07T01:30 or so', '2026-03-07', ''];
  test.each(noTimes)('"%s" is not a time', text => {
    expect(parseLocalTime(text, 'Europe/Lisbon')).toBeUndefined();
  });
});

describe('the URL', () => {
  test.each(['?store=a&language=pt&at=2026-03-07T01:30', '?store=a+b%26c&at=any&key=carte_pub_a', '?'])(
    '%s is parsed and formatted without loss',
    search => {
      expect(formatSearch(parseSearch(search))).toBe(search);
    },
  );

  test('has no secret key', () => {
    expect(formatSearch(parseSearch('?store=a&key=carte_a'))).toBe('?store=a');
  });

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

  test('numbers and times are in the variant of the language that the reader has', () => {
    expect(localeOf('en', ['pt', 'en-GB'])).toBe('en-GB');
    expect(localeOf('pt_BR', ['pt-PT'])).toBe('pt-br');
    expect(localeOf('no language!', ['pt-PT'])).toBe('pt-PT');
  });

  test('the direction follows from the script', () => {
    expect(['ar', 'he', 'ur_PK', 'az-Arab'].map(directionOf)).toEqual(['rtl', 'rtl', 'rtl', 'rtl']);
    expect(['en', 'ja', 'az', 'no language!', ''].map(directionOf)).toEqual(['ltr', 'ltr', 'ltr', 'ltr', 'ltr']);
  });

  test("the page's words are in the first language that has them, or else in English", () => {
    expect(textsFor(['fa', 'pt-BR', 'ja']).soldOut).toBe('Esgotado');
    expect(textsFor(['fa', 'he']).soldOut).toBe('Sold out');
    // Menus of any time are not 提供中, "being served".
    expect(textsFor(['ja']).menusAvailable(5, 'any')).toBe('いずれかの時間に提供するメニューは5件です');
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
  const formatIn = (locale: string, currency: string | null) =>
    createFormat({ locale, currency, texts: textsFor([locale]), timezone: 'Europe/Lisbon' });
  const moneyIn = (currency: string | null, amount: number) => ({
    amount,
    decimal: currency === null ? null : decimalOf({ amount, currency }),
  });
  /** Intl separates with various kinds of spaces. */
  const plain = (text: string) => text.replaceAll(/\s/g, ' ');

  test.each([
    ['en-GB', 'EUR', ['€0.00', '€0.05', '€1,250.00', '-€0.50']],
    ['pt-PT', 'EUR', ['0,00 €', '0,05 €', '1250,00 €', '-0,50 €']],
    ['ja', 'JPY', ['￥0', '￥5', '￥125,000', '-￥50']],
    ['en-GB', 'KWD', ['KWD 0.000', 'KWD 0.005', 'KWD 125.000', '-KWD 0.050']],
    ['en-GB', 'HUF', ['HUF 0', 'HUF 0.05', 'HUF 1,250', '-HUF 0.5']],
    ['en-GB', null, ['0.00', '0.05', '1,250.00', '-0.50']],
  ])('prices in %s and %s have the decimals of the currency', (locale, currency, expected) => {
    const amounts = [0, 5, 125_000, -50].map(amount => moneyIn(currency, amount));
    expect(amounts.map(formatIn(locale, currency).price).map(plain)).toEqual(expected);
  });

  test('changes of a price have a sign, and none is shown for 0', () => {
    const amounts = [0, 80, -50].map(amount => moneyIn('EUR', amount));
    expect(amounts.map(formatIn('en-GB', 'EUR').priceChange)).toEqual(['', '+€0.80', '-€0.50']);
  });

  test('a time in a sentence is in the language of the texts, also if that is not the one of the menu', () => {
    const time = new Date('2026-11-19T00:27:00Z');
    expect(formatIn('pt-PT', null).dateTime(time)).toMatch(/^quinta-feira, 19 /);
    expect(formatIn('fa-IR', null).dateTime(time)).toMatch(/^Thursday/);
  });

  test.each([
    ['en', 1, 1, 0, 'choose 1'],
    ['en', 0, 3, 1, 'up to 3, 1 free'],
    ['en', 1, 4, 2, 'choose 1 to 4, 2 free'],
    ['en', 0, 0, 0, 'choose 0'],
    ['ja', 1, 4, 2, '1～4点選択、2点無料'],
  ])('in %s from %i to %i, %i free: %s', (locale, groupMin, groupMax, chargeAfter, expected) => {
    expect(formatIn(locale, null).rule({ groupMin, groupMax, chargeAfter })).toBe(expected);
  });
});

describe('hours', () => {
  /** `on('MON 08:00-11:30', 'HOLIDAY late-early')` */
  const on = (...windows: readonly string[]) =>
    windows.map(window => {
      const [dayOfWeek = '', startTime = '', endTime = ''] = window.split(/[ -]/);
      return { dayOfWeek, timePeriods: [{ startTime, endTime }] };
    });
  const days = (...names: readonly string[]) => on(...names.map(name => `${name} 10:00-18:00`));

  test.each([
    ['adjacent days', days('MON', 'Tuesday', 'wed'), 'Mon – Wed 10:00 – 18:00'],
    ['days apart', days('MON', 'WED', 'FRI'), 'Mon, Wed, Fri 10:00 – 18:00'],
    ['days in another order', days('SUN', 'MON', 'FRI', 'SAT'), 'Fri – Mon 10:00 – 18:00'],
    ['the whole week', days('SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'), 'Mon – Sun 10:00 – 18:00'],
    ['different hours', on('SUN 09:00-13:00', 'MON 22:00-02:00'), 'Mon 22:00 – 02:00 · Sun 09:00 – 13:00'],
    ['several windows of a day', on('SUN 15:00-19:00', 'SUN 09:00-13:00'), 'Sun 09:00 – 13:00, 15:00 – 19:00'],
    ['all day', on('SAT 00:00-00:00', 'SUN 00:00-24:00'), 'Sat – Sun 24 hours'],
    ['seconds', on('SAT 10:00:30-11:00:00'), 'Sat 10:00:30 – 11:00'],
    ['what is not recognized', on('MON 9-17', 'HOLIDAY 10:00-18:00'), 'Mon 9–17 · HOLIDAY 10:00 – 18:00'],
    ['days without hours', [{ dayOfWeek: 'MON', timePeriods: [] }], ''],
  ])('%s', (_what, availability, expected) => {
    expect(createHoursFormat('en-GB').hours(availability).replaceAll(/\s/g, ' ')).toBe(expected);
  });

  test('are in the language of the reader', () => {
    expect(createHoursFormat('ja').hours(days('MON', 'WED', 'THU'))).toBe('月、水～木 10:00～18:00');
  });
});
