import type { ValidationError } from '../errors.ts';
import type { ErrorPath } from './validation-errors.ts';

/** The deepest nesting of a value; PostgreSQL has a limit, too. */
const maxDepth = 100;

/** Whether PostgreSQL can store a value: decides the common case seven times as fast as a search that tracks paths. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return textProblem(value) === undefined;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof Date) return isStorableTime(value);
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every(element => isStorable(element, depth + 1));
  // `for in` allocates no entries.
  for (const key in value) {
    if (textProblem(key) !== undefined || !isStorable(value[key as keyof typeof value], depth + 1)) return false;
  }
  return true;
}

/** Finds what PostgreSQL cannot store in a value, with its path: characters of texts and keys, infinite numbers, and too deep nesting. */
export function* findUnstorable(value: unknown, path: ErrorPath = []): Generator<ValidationError> {
  const error = (message: string) => ({ path, type: 'value_error', message: `Value error, ${message}` });
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem) yield error(problem);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) yield { path, type: 'finite_number', message: 'Input should be a finite number' };
  } else if (value instanceof Date) {
    if (!isStorableTime(value)) yield error('the year is not 1 to 9999');
  } else if (typeof value === 'object' && value !== null && path.length > maxDepth) {
    yield error(`nested deeper than ${maxDepth} levels`);
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* findUnstorable(element, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      // At the path of its value.
      yield* findUnstorable(key, [...path, key.toWellFormed()]);
      yield* findUnstorable(element, [...path, key]);
    }
  }
}

/** In UTC; an offset can lead beyond the years of RFC 3339. */
function isStorableTime(time: Date): boolean {
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999;
}

/** Why PostgreSQL cannot store a text, or JSON not represent it. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'the character U+0000 is not allowed';
  return text.isWellFormed() ? undefined : 'a lone surrogate is not a character';
}

export interface Range {
  readonly min: number;
  readonly max?: number;
}

// The errors of a value outside of its bounds; one that is absent has none.

export function* checkRange(
  path: ErrorPath,
  number: number | null | undefined,
  { min, max = Number.POSITIVE_INFINITY }: Range,
): Generator<ValidationError> {
  if (number == null) return;
  const message = (rule: string) => `${number} is too ${rule}`;
  if (number < min) {
    yield { path, type: 'greater_than_equal', message: message(`small; it must be at least ${min}`) };
  }
  if (number > max) yield { path, type: 'less_than_equal', message: message(`large; it must be at most ${max}`) };
}

export function* checkCount(path: ErrorPath, count: number, { min, max }: Required<Range>): Generator<ValidationError> {
  if (count < min) yield { path, type: 'too_short', message: `the list is empty; it must have at least ${min}` };
  if (count > max)
    yield { path, type: 'too_long', message: `the list has ${count} elements; at most ${max} are allowed` };
}

export function* checkLength(
  path: ErrorPath,
  text: string | null | undefined,
  { min, max }: Required<Range>,
): Generator<ValidationError> {
  if (text == null) return;
  // Counts code points only if there are more UTF-16 code units than the limit.
  const length = text.length > max ? [...text].length : text.length;
  if (length < min) yield { path, type: 'string_too_short', message: 'the text is empty' };
  if (length > max) {
    yield { path, type: 'string_too_long', message: `the text has ${length} characters; at most ${max} are allowed` };
  }
}
