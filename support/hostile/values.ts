import type { Random } from '../../src/demo/random.ts';

/** Strings that have broken other programs: SQL, regular expressions, paths, and invalid Unicode. */
const texts = [
  '',
  ' ',
  '%',
  '_',
  '\\',
  '%%%_%%',
  "'",
  "''",
  '"',
  '`',
  ';',
  "' or 1=1 --",
  "'; drop table store; --",
  '$1',
  '$$',
  '#{7*7}',
  '{{7*7}}',
  ':name',
  '?',
  '??',
  '(((((((((((((((((((((((((',
  '.*.*.*.*.*.*.*.*x',
  '[[:alpha:]]',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\ufffe',
  '\u202e',
  'ﷺ'.repeat(50),
  'ẞßﬃİı',
  '𝕳𝖔𝖗𝖘𝖊',
  'e\u0301'.repeat(200),
  '\r\nx-injected: yes',
  '../../../../etc/passwd',
  '..%2f..%2f',
  '/',
  '//',
  '.',
  '..',
  'null',
  'undefined',
  'true',
  'NaN',
  '0',
  '-1',
  '1e400',
  '0x10',
  '９',
  '99999999999999999999',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '1.5',
  '1,2',
  '+1',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '0000-00-00',
  '2026-01-01T25:00:00Z',
  '-271821-04-20T00:00:00Z',
  '275760-09-13',
  '9999-12-31T23:59:59.999999999+23:59',
  '2026-01-01T00:00:00+99:99',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'PENDING',
  'pending',
  'PENDING,PENDING,PENDING',
  'PENDING,',
  ',,,,',
  'x'.repeat(256),
  'x'.repeat(1001),
  'x'.repeat(6000),
] as const;

const numbers = [
  '0',
  '-0',
  '-1',
  '1.5',
  '1.0',
  '1e3',
  '1e308',
  '1e309',
  '-1e400',
  '5e-324',
  '2147483648',
  '-2147483649',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740993',
  '18446744073709551616',
  '1'.repeat(400),
] as const;

const others = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '[{}]',
  '{"translations":null}',
  '{"translations":{"en":null}}',
  '{"translations":[]}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"translations":{"__proto__":"x","constructor":"y","":"z"}}',
] as const;

export const randomText = (random: Random): string => random.pick<string>(texts);

/** The text of some JSON value, rarely of the expected type. */
export function randomJson(random: Random): string {
  const kind = random.between(0, 9);
  if (kind < 4) return JSON.stringify(randomText(random));
  if (kind < 7) return random.pick<string>(numbers);
  if (kind < 9) return random.pick<string>(others);
  return nested(random.pick([50, 99, 101, 5000]), random.chance(0.5));
}

function nested(levels: number, lists: boolean): string {
  return lists ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

/** Text for a URL: mostly percent-encoded correctly, sometimes raw or wrongly encoded. */
export function urlText(random: Random): string {
  const text = randomText(random);
  if (random.chance(0.1))
    return random.pick(['%', '%0', '%zz', '%00', '%ff%fe', '%c0%ae%c0%ae', '%ed%a0%80', '%25%30%30', '%F4%90%80%80']);
  if (random.chance(0.05)) return text.replace(/[^\x21-\x7e]/g, '').replace(/[#?&]/g, '');
  return encodeURIComponent(text.toWellFormed());
}
