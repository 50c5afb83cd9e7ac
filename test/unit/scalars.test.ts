import { describe, expect, test } from 'vitest';
import { scalars } from '../../src/graphql/scalars.ts';

describe('parseValue', () => {
  const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  const cases: readonly [name: keyof typeof scalars, value: unknown, message: string][] = [
    ['SafeInt', deep, 'a list is not a whole number within ±(2^53−1)'],
    ['SafeInt', { a: deep }, 'an object is not a whole number within ±(2^53−1)'],
    ['SafeInt', null, 'null is not a whole number within ±(2^53−1)'],
    ['SafeInt', 2 ** 53, '9007199254740992 is not a whole number within ±(2^53−1)'],
    ['DateTime', deep, 'a list is not a date-time such as 2026-03-01T18:30:00Z'],
    ['DateTime', 'yesterday', '"yesterday" is not a date-time such as 2026-03-01T18:30:00Z'],
    ['DateTime', 'x'.repeat(1_000_000), `"${'x'.repeat(100)}…" is not a date-time such as 2026-03-01T18:30:00Z`],
    ['StringMap', deep, 'a list is not an object of strings'],
    ['StringMap', { ['x'.repeat(1_000_000)]: 1 }, `the value of "${'x'.repeat(100)}…" is not a string`],
    ['JSONObject', deep, 'a list is not an object'],
  ];

  test.each(cases)(
    '%s rejects a value with a short message, however long or deep it is (%#)',
    (name, value, message) => {
      expect(() => scalars[name].parseValue(value)).toThrow(expect.objectContaining({ message }));
    },
  );
});

describe('DateTime', () => {
  const day = 86_400_000;
  const times = [-1, 0, 1, day - 1, day, day / 2, -62_167_219_200_000, -62_167_219_200_001, 8.64e15, -8.64e15];

  test.each([...times, ...times].map(time => new Date(time)))('is serialized as toISOString does: %o (%#)', date => {
    expect(scalars.DateTime.serialize(date)).toBe(date.toISOString());
  });

  test('that is none is refused', () => {
    expect(() => scalars.DateTime.serialize('yesterday')).toThrow(RangeError);
  });
});
