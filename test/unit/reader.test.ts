import { compileReader } from '@carte/operations/input/reader';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { error, errorsIn, read, readValid, typeOf } from '../support/reading.ts';

const notInteger = 'Input should be a valid integer';
const notString = 'Input should be a valid string';

describe('a JSON value', () => {
  test.each([
    ['SafeInt', 0],
    ['SafeInt', -(2 ** 53 - 1)],
    ['SafeInt', 2 ** 53 - 1],
    ['SafeInt', JSON.parse('1.0')],
    ['Int', 2 ** 31 - 1],
    ['Float', 1.5],
    ['Boolean', false],
    ['String', ''],
    ['String', '😀 é'],
    ['ID', 'a'],
    ['Size', 'SMALL'],
    ['[Int!]', []],
    ['[Int]', [1, null]],
    ['StringMap', { en: 'a', '': '' }],
    ['JSONObject', { a: [null, { b: null }, 1.5, 'x', true] }],
  ])('of %s: %j is accepted unchanged', (type, value) => {
    expect(readValid(type, value)).toEqual(value);
  });

  test.each([
    ['SafeInt', '1', 'int_type', notInteger],
    ['SafeInt', true, 'int_type', notInteger],
    ['SafeInt', null, 'int_type', notInteger],
    ['SafeInt', 1.5, 'int_from_float', 'Input should be a valid integer, got a number with a fractional part'],
    ['SafeInt', 2 ** 53, 'less_than_equal', 'Input should be less than or equal to 9007199254740991'],
    ['SafeInt', -(2 ** 53), 'greater_than_equal', 'Input should be greater than or equal to -9007199254740991'],
    ['Int', 2 ** 31, 'less_than_equal', 'Input should be less than or equal to 2147483647'],
    ['SafeInt', JSON.parse('1e400'), 'finite_number', 'Input should be a finite number'],
    ['Float', JSON.parse('-1e400'), 'finite_number', 'Input should be a finite number'],
    ['Float', '1.5', 'float_type', 'Input should be a valid number'],
    ['Boolean', 1, 'bool_type', 'Input should be a valid boolean'],
    ['Boolean', 'true', 'bool_type', 'Input should be a valid boolean'],
    ['String', 1, 'string_type', notString],
    ['ID', 1, 'string_type', notString],
    ['String', 'a\0b', 'value_error', 'Value error, the character U+0000 is not allowed'],
    ['String', 'a\uD800', 'value_error', 'Value error, a lone surrogate is not a character'],
    ['Size', 'small', 'enum', "Input should be 'SMALL' or 'LARGE'"],
    ['Size', 1, 'enum', "Input should be 'SMALL' or 'LARGE'"],
    ['[Int!]', 1, 'list_type', 'Input should be a valid list'],
    ['[Int!]', { 0: 1 }, 'list_type', 'Input should be a valid list'],
    ['StringMap', [], 'dict_type', 'Input should be a valid dictionary'],
    ['JSONObject', 'x', 'dict_type', 'Input should be a valid dictionary'],
    ['DateTime', 'noon', 'datetime_parsing', 'Input should be a valid datetime, such as 2026-03-01T18:30:00Z'],
    ['DateTime', 1700000000, 'datetime_type', 'Input should be a valid datetime'],
    ['Dish', [], 'model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'],
  ])('of %s: %j is rejected with %s', (type, value, code, msg) => {
    expect(errorsIn(type, value)).toEqual(error(code, msg));
  });

  test('outside the given bounds is rejected', () => {
    const bounds = { min: 1, max: 500 };
    expect(readValid('Int', 500, bounds)).toBe(500);
    expect(errorsIn('Int', 0, bounds)).toEqual(
      error('greater_than_equal', 'Input should be greater than or equal to 1'),
    );
    expect(errorsIn('Int', 501, bounds)).toEqual(error('less_than_equal', 'Input should be less than or equal to 500'));
  });

  test.each([
    ['2026-03-01T18:30:00Z', '2026-03-01T18:30:00.000Z'],
    ['2026-03-01T18:30:00.123456+02:00', '2026-03-01T16:30:00.123Z'],
    ['2026-03-01 18:30', '2026-03-01T18:30:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ])('of DateTime: %s is read as %s', (text, instant) => {
    expect(readValid('DateTime', text)).toEqual(new Date(instant));
  });

  test.each(['2026-02-30', '2026-13-01', '2026-03-01T25:00:00Z', '', '2026'])('of DateTime: %j is rejected', text => {
    expect(errorsIn('DateTime', text)).toMatchObject([{ type: 'datetime_parsing' }]);
  });
});

describe('an object', () => {
  test('is converted to the names of the graph, without unknown fields', () => {
    const value = { external_id: 'a', in_stock: true, address_line_1: 'x', externalId: 'b', colour: 'red' };
    expect(readValid('Dish', value)).toEqual({ externalId: 'a', inStock: true, addressLine1: 'x', servings: 1 });
  });

  test('an optional field that is null or absent is omitted, or has the default of the graph', () => {
    const read = { externalId: 'a', servings: 1 };
    expect(readValid('Dish', { external_id: 'a', name: null, tags: null, servings: null })).toEqual(read);
    expect(readValid('Dish', { external_id: 'a' })).toEqual(read);
  });

  test('a required field that is null has the wrong type, one that is absent is missing', () => {
    expect(errorsIn('Dish', { external_id: null })).toEqual(error('string_type', notString, 'external_id'));
    expect(errorsIn('Dish', {})).toEqual(error('missing', 'Field required', 'external_id'));
  });

  test('inherited properties are ignored', () => {
    expect(readValid('Dish', { external_id: 'a' })).not.toHaveProperty('constructor', expect.anything());
    const inherited = Object.create({ external_id: 'a' });
    expect(errorsIn('Dish', inherited)).toEqual(error('missing', 'Field required', 'external_id'));
  });

  test('every error is reported with its path', () => {
    const value = { price: '1', tags: ['a', 1], size: 'HUGE', sides: [{ external_id: 'b' }, { external_id: 2 }] };
    expect(errorsIn('Dish', value).map(({ loc, type }) => [loc.join('.'), type])).toEqual([
      ['body.external_id', 'missing'],
      ['body.price', 'int_type'],
      ['body.size', 'enum'],
      ['body.tags.1', 'string_type'],
      ['body.sides.1.external_id', 'string_type'],
    ]);
  });
});

describe('a map', () => {
  test.each(['__proto__', 'constructor', 'toString', 'externalId'])('keeps the key %s', key => {
    const value = JSON.parse(`{"translations": {"${key}": "x"}}`);
    const result = readValid('Text', value);
    expect(JSON.stringify(result)).toBe(`{"translations":{"${key}":"x"}}`);
    expect({}).not.toHaveProperty('x');
  });

  test('errors in keys and values are reported at the key', () => {
    const value = { translations: { en: 1, 'a\0': 'x', b: 'y\uDC00' } };
    expect(errorsIn('Text', value)).toEqual([
      ...error('string_type', notString, 'translations', 'en'),
      ...error('value_error', 'Value error, the character U+0000 is not allowed', 'translations', 'a\0'),
      ...error('value_error', 'Value error, a lone surrogate is not a character', 'translations', 'b'),
    ]);
  });

  test('of arbitrary JSON is validated at every level', () => {
    const value = JSON.parse('{"a": [{"b": 1e400}, {"c\\u0000": 1}], "d": {"e": "\\ud800"}}');
    expect(errorsIn('JSONObject', value).map(({ loc, type }) => [...loc, type])).toEqual([
      ['body', 'a', 0, 'b', 'finite_number'],
      ['body', 'a', 1, 'c\0', 'value_error'],
      ['body', 'd', 'e', 'value_error'],
    ]);
  });

  test('of arbitrary JSON nested deeper than 100 levels is rejected', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect(errorsIn('JSONObject', deep)).toMatchObject([
      { type: 'value_error', msg: 'Value error, nested deeper than 100 levels' },
    ]);
  });
});

test('at most 1,000 errors are reported', () => {
  const errors = errorsIn(
    '[Dish!]',
    Array.from({ length: 5000 }, () => ({})),
  );
  expect(errors).toHaveLength(1000);
  expect(errors.at(-1)).toMatchObject({ loc: ['body', 999, 'external_id'] });
});

test('a million invalid values take less than a second of CPU', () => {
  const value = { translations: Object.fromEntries(Array.from({ length: 500_000 }, (_, index) => [`k${index}`, 1])) };
  const dishes = Array.from({ length: 500_000 }, () => ({ external_id: 1, price: 'x' }));
  const started = process.cpuUsage();
  expect(errorsIn('Text', value)).toHaveLength(1000);
  expect(errorsIn('[Dish!]', dishes)).toHaveLength(1000);
  const { user } = process.cpuUsage(started);
  expect(user).toBeLessThan(1_000_000);
});

test('no JSON value makes a reader throw', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
      read('Dish', value);
      read('[JSONObject!]', value);
    }),
  );
});

test('valid values are unchanged but for the names', () => {
  // All but U+0000 and surrogates; the unit 'binary' would build tables of them all first.
  const codePoint = fc.integer({ min: 1, max: 0x10ffff - 0x800 }).map(n => (n < 0xd800 ? n : n + 0x800));
  const text = fc.string({ unit: codePoint.map(n => String.fromCodePoint(n)) });
  const dish = fc.record(
    {
      external_id: text,
      name: fc.record({ translations: fc.dictionary(text, text) }),
      price: fc.maxSafeInteger(),
      weight: fc.double({ noNaN: true, noDefaultInfinity: true }),
      tags: fc.array(text),
      servings: fc.nat(),
    },
    { requiredKeys: ['external_id', 'servings'] },
  );
  fc.assert(
    fc.property(dish, ({ external_id, ...rest }) => {
      expect(readValid('Dish', { external_id, ...rest })).toEqual({ externalId: external_id, ...rest });
    }),
  );
});

test('compiling a reader for an unknown scalar throws', () => {
  expect(() => compileReader(typeOf('Colour'))).toThrow('There is no reader for the scalar Colour');
});
