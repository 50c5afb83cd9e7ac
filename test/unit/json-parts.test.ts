import { JsonReader, JsonSyntaxError } from '@carte/base/json';
import { JsonTooLarge, parseInParts } from '@carte/base/json-parts';
import { runAtOnce } from '@carte/base/time-slice';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const parse = (text: string, partLength: number) => runAtOnce(parseInParts(text, 1_000, partLength));

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error instanceof JsonSyntaxError ? `an error at ${error.position}` : 'a SyntaxError';
  }
}

const spaces = fc.constantFrom(undefined, 1, '\t');
const partLengths = fc.integer({ min: 1, max: 40 });

describe('JSON that is parsed in parts', () => {
  test('has the value that JSON.parse gives it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), spaces, partLengths, (value, space, partLength) => {
        const text = JSON.stringify(value, null, space);
        expect(parse(text, partLength)).toEqual(JSON.parse(text));
        expect(JSON.stringify(parse(text, partLength))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 700 },
    );
  });

  test('is rejected where JSON.parse rejects it, whatever the parts are', () => {
    const characters = fc.constantFrom('', ' ', ',', ':', '[', ']', '{', '}', '"', '\\', '1', '-', 'x', '\n', 'null');
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.nat(3),
        characters,
        partLengths,
        (value, place, removed, added, length) => {
          const valid = JSON.stringify(value, null, place % 2);
          const at = place % (valid.length + 1);
          const text = valid.slice(0, at) + added + valid.slice(at + removed);
          const whole = outcomeOf(() => new JsonReader(text).read());
          expect(outcomeOf(() => parse(text, length))).toEqual(whole);
          const isError = typeof whole === 'string' && whole.startsWith('an error at');
          expect(isError).toBe(outcomeOf(() => JSON.parse(text)) === 'a SyntaxError');
        },
      ),
      { numRuns: 1_500 },
    );
  });

  test.each([
    ['{"a":[1,2,3],"a":{"b":[[],{}]}}', 'the last of repeated keys counts'],
    ['{"__proto__":[1,2,3],"b":{"__proto__":1}}', '__proto__ is a key like any other'],
    ['[ [    ], {    } ]', 'what is empty may have much white space'],
    ['[[1,"]"],["\\"",2],"[[[[[[[[[[[["]', 'brackets in strings do not count'],
  ])('%s: %s', text => {
    for (let length = 1; length < text.length + 2; length++) {
      expect(JSON.stringify(parse(text, length))).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test.each([
    '',
    ' ',
    '[',
    '[1,',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a"}',
    '{,}',
    '[1 2]',
    '[1]]',
    '{"a":1}}',
    '"a',
    'nul',
  ])('%j is rejected', text => {
    for (let length = 1; length < 9; length++) expect(() => parse(text, length)).toThrow(SyntaxError);
  });

  test('each member of a large object is a step', () => {
    const text = `{${'"abcdefgh":1,'.repeat(9_000)}"a":1}`;
    expect([...parseInParts(text, 100)].length).toBeGreaterThan(9_000);
  });

  test.each([
    [`${'['.repeat(101)}`, 'nested deeper than 100 levels', 100],
    [`{"a":${'[{"b":'.repeat(60)}`, 'nested deeper than 100 levels', 5 + 49 * 6 + 1],
    [`[${'{},'.repeat(400_000)}1]`, 'larger than 300,000 objects and lists', undefined],
    [`[${'{"a":1,"b":2,"c":3},'.repeat(200_000)}1]`, 'larger than 500,000 keys', undefined],
    [`{${'"abcdefgh":1,'.repeat(10_000)}"a":1}`, 'larger than 10,000 keys in one object', undefined],
    [`[${'{"\\n":1},'.repeat(110_000)}1]`, 'larger than 100,000 keys with escape sequences', undefined],
    [`[${'1,'.repeat(1_100_000)}1]`, 'larger than 1,000,000 values', undefined],
  ])('a text beyond a limit is rejected (%#)', (text, problem, position) => {
    for (const partLength of [701, 64 * 1024]) {
      const error = errorOf(() => runAtOnce(parseInParts(text, 100, partLength)));
      expect(error).toBeInstanceOf(JsonTooLarge);
      expect(error).toMatchObject({ problem, ...(position !== undefined && { position }) });
    }
  });
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
