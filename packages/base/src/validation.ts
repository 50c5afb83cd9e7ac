import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import type { ValidationError } from './errors.ts';
import { codePointsIn } from './json.ts';
import { TimeSlice } from './time-slice.ts';

/** Keys and indexes from the root of the input to a value. */
export type ErrorPath = readonly (string | number)[];

/** A validation error in FastAPI's format, with Pydantic's `type` and `msg` where it has them. */
export interface RequestError {
  readonly loc: ErrorPath;
  readonly msg: string;
  readonly type: string;
}

/** Bounds the work for invalid input, and the size of the error response. */
export const maxErrors = 1000;

/** Collects the validation errors of one request; once it is full, errors are dropped and readers stop early. */
export class ValidationErrors {
  readonly list: RequestError[] = [];

  get full(): boolean {
    return this.list.length >= maxErrors;
  }

  add(loc: ErrorPath, type: string, msg: string): void {
    if (!this.full) this.list.push({ loc, msg, type });
  }
}

/**
 * Current path of a reader. One mutable array serves a whole document: a reader at `depth` writes the keys of its children
 * at that index, so reading allocates nothing and the path is copied only for an error.
 */
export interface PathCursor {
  keys: (string | number)[];
  readonly errors: ValidationErrors;
  /** If present, long lists are added to it instead of being read at once. */
  readonly deferred?: {
    /** The path of the list. */
    readonly keys: ErrorPath;
    readonly length: number;
    /** Reads an element at the cursor, which is at the list. */
    readonly readElement: (index: number) => void;
  }[];
}

/** Converts an input value to a value of the graph; adds an error and returns undefined if it is invalid. */
export type Read = (value: unknown, cursor: PathCursor, depth: number) => unknown;

/** Adds an error at the cursor's path. */
export function fail({ keys, errors }: PathCursor, depth: number, type: string, msg: string): undefined {
  if (!errors.full) errors.add(keys.slice(0, depth), type, msg);
}

/** Later errors suggest nothing, which bounds the work for them. */
const maxSuggestions = 100;

/** Adds an error for each field of an object that is unknown, with the name that was probably meant, or all names. */
export function forbidUnknownFields(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  { keys, errors }: PathCursor,
  depth: number,
): void {
  for (const key in object) {
    if (known.has(key)) continue;
    if (errors.full) return;
    const name = shorten(key);
    const isHelped = errors.list.length < maxSuggestions;
    const suggestion = isHelped ? didYouMean(suggestionList(name, [...known])) : '';
    const others = isHelped && !suggestion && known.size > 0 ? `, only ${[...known].join(', ')}` : '';
    const msg = `Extra inputs are not permitted${suggestion ? `.${suggestion}` : others}`;
    errors.add([...keys.slice(0, depth), name], 'extra_forbidden', msg);
  }
}

/** Shorter lists take less than a slice of time. */
const minDeferredLength = 100;

/** Reads a value that may be large: yields to the event loop between the elements of long lists, which are read last. */
export async function readInSlices(
  read: Read,
  value: unknown,
  path: ErrorPath,
  errors: ValidationErrors,
): Promise<unknown> {
  const deferred: NonNullable<PathCursor['deferred']> = [];
  const cursor: PathCursor = { keys: [...path], errors, deferred };
  const result = read(value, cursor, path.length);
  if (deferred.length === 0) return result;
  const slice = new TimeSlice();
  // Lists within the elements are added while it runs.
  for (const { keys, length, readElement } of deferred) {
    cursor.keys = [...keys];
    for (let index = 0; index < length && !errors.full; index++) {
      readElement(index);
      if (slice.isOver) await slice.yield();
    }
  }
  return result;
}

/** Reads the elements of a list at the cursor; those of a long one later, where the cursor allows it. */
export function readElements(
  values: readonly unknown[],
  cursor: PathCursor,
  depth: number,
  readElement: Read,
): unknown[] {
  const { length } = values;
  const result: unknown[] = [];
  const readAt = (index: number) => {
    cursor.keys[depth] = index;
    result.push(readElement(values[index], cursor, depth + 1));
  };
  if (cursor.deferred && length > minDeferredLength) {
    cursor.deferred.push({ keys: cursor.keys.slice(0, depth), length, readElement: readAt });
  } else {
    for (let index = 0; index < length && !cursor.errors.full; index++) readAt(index);
  }
  return result;
}

/** Shortens what a message quotes: a name or text may be as long as a request. */
export const shorten = (text: string, maxLength = 100): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

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
export function* findUnstorable(
  value: unknown,
  path: ErrorPath = [],
): Generator<ValidationError<'value_error' | 'finite_number'>> {
  const error = (message: string) => ({ path, type: 'value_error' as const, message: `Value error, ${message}` });
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
): Generator<ValidationError<'greater_than_equal' | 'less_than_equal'>> {
  if (number == null) return;
  const message = (rule: string) => `${number} is too ${rule}`;
  if (number < min) {
    yield { path, type: 'greater_than_equal', message: message(`small; it must be at least ${min}`) };
  }
  if (number > max) yield { path, type: 'less_than_equal', message: message(`large; it must be at most ${max}`) };
}

export function* checkCount(
  path: ErrorPath,
  count: number,
  { min, max }: Required<Range>,
): Generator<ValidationError<'too_short' | 'too_long'>> {
  const found = count === 0 ? 'the list is empty' : `the list has ${count} elements`;
  if (count < min) yield { path, type: 'too_short', message: `${found}; it must have at least ${min}` };
  if (count > max)
    yield { path, type: 'too_long', message: `the list has ${count} elements; at most ${max} are allowed` };
}

export function* checkLength(
  path: ErrorPath,
  text: string | null | undefined,
  { min, max }: Required<Range>,
): Generator<ValidationError<'string_too_short' | 'string_too_long'>> {
  if (text == null) return;
  // Counts code points only if there are more UTF-16 code units than the limit.
  const length = text.length > max ? codePointsIn(text) : text.length;
  const found = length === 0 ? 'the text is empty' : `the text has ${length} characters`;
  const rule = min > 1 ? `; it must have at least ${min}` : '';
  if (length < min) yield { path, type: 'string_too_short', message: `${found}${rule}` };
  if (length > max) {
    yield { path, type: 'string_too_long', message: `the text has ${length} characters; at most ${max} are allowed` };
  }
}
