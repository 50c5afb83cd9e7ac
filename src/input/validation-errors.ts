import { TimeSlice } from '../scheduling/time-slice.ts';

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
  readonly deferred?: DeferredList[];
}

/** A list whose elements are still to be read. */
export interface DeferredList {
  /** Its path. */
  readonly keys: readonly (string | number)[];
  readonly length: number;
  /** Reads an element at the cursor, which is at the list. */
  readonly readElement: (index: number) => void;
}

/** Converts an input value to a value of the graph; adds an error and returns undefined if it is invalid. */
export type Read = (value: unknown, cursor: PathCursor, depth: number) => unknown;

/** Adds an error at the cursor's path. */
export function fail({ keys, errors }: PathCursor, depth: number, type: string, msg: string): undefined {
  if (!errors.full) errors.add(keys.slice(0, depth), type, msg);
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
