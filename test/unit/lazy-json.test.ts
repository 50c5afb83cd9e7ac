import { LazyJsonArray } from '@carte/base/lazy-json';
import { expect, test } from 'vitest';

test.each([
  '[{"a":1,"b":{"c":[]}}]',
  '[{"price":1.50,"big":12345678901234567890}]',
  '[{"note":"a: b, \\"c\\":d"},{"1":2}]',
])('%s is written as it is, and parsed on demand without losing digits', text => {
  const array = new LazyJsonArray(text);
  expect(array.compactText).toBe(text);
  expect(JSON.stringify([...array])).toBe(text);
  expect(JSON.stringify(array)).toBe(text);
});

test.each([
  ['[]', '[]'],
  ['[{"a": 1, "b":2}]', '[{"a":1,"b":2}]'],
  [' [{"a":1}]', '[{"a":1}]'],
  ['[{"a":"\\": "}]', '[{"a":"\\": "}]'],
])('%s may be the text of another program, and is parsed', (text, written) => {
  const array = new LazyJsonArray(text);
  expect(array.compactText).toBeUndefined();
  expect(JSON.stringify([...array])).toBe(written);
});

test('what is no array is not iterable', () => {
  expect(() => [...new LazyJsonArray('{"a":1}')]).toThrow('not a function');
});
