import { expect, test } from 'vitest';
import { differenceOf } from '../../support/equality.ts';

test('absent, null and the empty list are equal', () => {
  expect(differenceOf({ a: 1, b: null, c: [] }, { a: 1 })).toBeUndefined();
});

test('the order of keys and the notation of an instant are ignored', () => {
  const one = { at: '2026-03-01T18:30:00.000Z', n: 1 };
  expect(differenceOf(one, { n: 1, at: '2026-03-01T19:30:00+01:00' })).toBeUndefined();
  expect(differenceOf(one, { n: 1, at: '2026-03-01T18:30:01Z' })).toMatch(/^\$\.at: /);
});

test('a difference is reported with its path', () => {
  expect(differenceOf({ list: [{ n: 1 }, { n: 2 }] }, { list: [{ n: 1 }, { n: 3 }] })).toBe('$.list[1].n: 2, 3');
  expect(differenceOf({ list: [1, 2] }, { list: [1] })).toBe('$.list: 2 elements, 1');
  expect(differenceOf({ n: 1 }, { n: '1' })).toBe('$.n: 1, "1"');
  expect(differenceOf({ n: 1 }, {})).toBe('$.n: 1, nothing');
  expect(differenceOf({ n: [1] }, { n: { 0: 1 } })).toBe('$.n: [1], {"0":1}');
});
