import type { ValidationError } from '../errors.ts';

export type Path = readonly (string | number)[];

export interface Range {
  readonly min: number;
  readonly max?: number;
}

// The errors of a value outside of its bounds; one that is absent has none.

export function* checkRange(
  path: Path,
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

export function* checkCount(path: Path, count: number, { min, max }: Required<Range>): Generator<ValidationError> {
  if (count < min) yield { path, type: 'too_short', message: `the list is empty; it must have at least ${min}` };
  if (count > max)
    yield { path, type: 'too_long', message: `the list has ${count} elements; at most ${max} are allowed` };
}

export function* checkLength(
  path: Path,
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
