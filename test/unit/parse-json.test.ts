import { hasEscapedKey, numberOf, parseExactJson, parseJson } from '@carte/base/json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { poisonFor, type Written, writtenDocument } from '../support/escapes.ts';

const runs = Number(process.env.JSON_RUNS ?? 200);

/** Fills the key cache of `JSON.parse` with keys that collide with the document's (nodejs/node#63785). */
function poison(written: Written): void {
  for (const text of poisonFor(written)) for (let time = 0; time < 3; time++) JSON.parse(text);
}

describe.each([
  ['parseJson', parseJson],
  ['parseExactJson', parseExactJson],
])('%s', (_name, parse) => {
  test('returns the right keys whatever was parsed before', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(writtenDocument, written => {
        poison(written);
        expect(JSON.stringify(parse(written.text))).toBe(JSON.stringify(written.document));
      }),
      { numRuns: runs },
    );
  });

  test('the last of duplicate keys wins, and __proto__ is an ordinary key', () => {
    const value = parse('{"\\u0061":1,"a":null,"__proto__":{"b":2},"\\u005f_proto__":3}');
    expect(JSON.stringify(value)).toBe('{"a":null,"__proto__":3}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each([
    '{"\\u0061":',
    '{"\\u0061":1,}',
    '{"\\u00":1}',
    '{"a\\x":1}',
    '{"\\u0061":01}',
    '\\"a":1',
    '"\\',
    '"\\u0061" : 1',
  ])('rejects %s', text => expect(() => parse(text)).toThrow(SyntaxError));

  test('nesting that overflows the stack is a SyntaxError', () => {
    expect(() => parse('{"\\u0061":'.repeat(500_000))).toThrow(SyntaxError);
  });
});

test.each([
  ['{"\\u0061":1}', true],
  ['{"a\\"" \n:1}', true],
  ['[{"b":"\\\\"},{"c\\\\":1}]', true],
  ['{"a":"\\"b\\":"}', false],
  ['{"a":"\\\\","b":"\\n"}', false],
  ['["\\u0061",{"a":1}]', false],
  ['{"a":1}', false],
])('%s has an escaped key: %s', (text, expected) => {
  expect(hasEscapedKey(text)).toBe(expected);
});

test('two million escapes are scanned in linear time', () => {
  const text = JSON.stringify({ a: '\n'.repeat(2_000_000) });
  const started = process.cpuUsage();
  expect(hasEscapedKey(text)).toBe(false);
  expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
});

const numbers = [
  '12345678901234567890',
  '-0',
  '0.0000001',
  '1.50',
  '1.0',
  '1e2',
  '1E-7',
  '0.1234567890123456789',
  '9007199254740993',
  '100000000000000000000000',
  '1e21',
];

describe('numbers', () => {
  test.each(numbers)('%s is serialised digit for digit', number => {
    for (const text of [`{"a":${number},"b":[${number},{"\\"":${number}}]}`, number, `[1, ${number}]`]) {
      expect(JSON.stringify(parseExactJson(text))).toBe(text.replaceAll(', ', ','));
    }
    expect(numberOf(parseExactJson(number))).toBe(Number(number));
  });

  test('any number is serialised digit for digit', () => {
    const digits = fc.stringMatching(/^\d{0,20}$/);
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.constantFrom('0', '7', '12'),
        digits,
        digits,
        fc.constantFrom('', 'e5', 'E-9', 'e+2'),
      )
      .map(([sign, first, more, fraction, exponent]) => {
        return `${sign}${first}${first === '0' ? '' : more}${fraction && `.${fraction}`}${exponent}`;
      });
    fc.assert(
      fc.property(number, text => {
        expect(JSON.stringify(parseExactJson(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
      }),
      { numRuns: runs },
    );
  });

  test('a number beyond the range of a double is Infinity, as with JSON.parse', () => {
    expect(parseExactJson('[1e400]')).toEqual([Number.POSITIVE_INFINITY]);
  });

  test.each(['1', '-12', '0', '1.5', '0.000001', '123456789012345'])('%s stays a number', number => {
    expect(parseExactJson(`[${number}]`)).toEqual([Number(number)]);
  });
});
