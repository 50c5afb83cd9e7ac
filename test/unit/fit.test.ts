import { fitJson } from '@carte/operations/fit';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Whether one is what is left of another when the ends of its lists and texts are cut off. */
function isBeginningOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string')
    return part === whole || whole.startsWith(part.replace(/…$/, ''));
  if (Array.isArray(part) && Array.isArray(whole))
    return part.length <= whole.length && part.every((element, at) => isBeginningOf(element, whole[at]));
  if (typeof part === 'object' && typeof whole === 'object' && part !== null && whole !== null) {
    const [keys, all] = [Object.keys(part), Object.keys(whole)];
    return (
      keys.join() === all.join() && keys.every(key => isBeginningOf(Reflect.get(part, key), Reflect.get(whole, key)))
    );
  }
  return Object.is(part, whole);
}

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const element = fc.record({ name: text, notes: fc.array(text, { maxLength: 20 }), price: fc.integer() });
const result = fc.record({ id: fc.integer(), about: text, items: fc.array(element, { maxLength: 60 }) });

test('a result is shortened until it fits, and what is left out is named', () => {
  fc.assert(
    fc.property(result, fc.integer({ min: 60, max: 4_000 }), (whole, maxBytes) => {
      const { value, omissions } = fitJson(whole, maxBytes);
      expect(sizeOf(value)).toBeLessThanOrEqual(maxBytes);
      expect(isBeginningOf(value, whole)).toBe(true);
      expect(omissions.length === 0).toBe(JSON.stringify(value) === JSON.stringify(whole));
      if (sizeOf(whole) <= maxBytes) expect(value).toEqual(whole);
    }),
  );
});

test('nothing is written that is much larger than the bound, however large the result is', () => {
  let read = 0;
  const counted = (index: number) =>
    new Proxy(
      { name: `item ${index}` },
      {
        ownKeys(target) {
          read++;
          return Reflect.ownKeys(target);
        },
      },
    );
  const { value, omissions } = fitJson({ items: Array.from({ length: 100_000 }, (_, index) => counted(index)) }, 2_000);
  expect(sizeOf(value)).toBeGreaterThan(1_000);
  expect(omissions).toEqual([expect.stringMatching(/^items: the first \d+ of 100000 elements$/)]);
  expect(read).toBeLessThan(3_000);
});
