import type { Walk } from './difference.ts';

export type Compare = (before: unknown, after: unknown, walk: Walk) => void;
type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a key that may be any, `__proto__` included. */
export const valueAt = (fields: Fields, key: string) => (Object.hasOwn(fields, key) ? fields[key] : undefined);

/** Compares any JSON exactly; only the order of an object's keys has no meaning. */
export const compareFree: Compare = (before, after, walk) => {
  if (Array.isArray(before) && Array.isArray(after)) return compareSequence(compareFree, before, after, walk);
  if (!isFields(before) || !isFields(after)) return compareValues(before, after, walk);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    walk.at(key, () => compareFree(valueAt(before, key), valueAt(after, key), walk));
  }
};

export const compareValues: Compare = (before, after, walk) => {
  if (before === after) return;
  walk.report(jsonType(before) === jsonType(after) ? 'value' : 'shape', before, after);
};

/** Only the first element that differs is reported: one that is put in moves all that follow. */
export function compareSequence(
  compare: Compare,
  before: readonly unknown[],
  after: readonly unknown[],
  walk: Walk,
): void {
  const { found } = walk;
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    walk.at(index, () => {
      if (index < before.length && index < after.length) compare(before[index], after[index], walk);
      else walk.report('shape', before[index], after[index]);
    });
    if (walk.found > found) return;
  }
}

/** A text that is the same for values that are equal, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
