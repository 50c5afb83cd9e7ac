import { TimeSlice } from '../scheduling/time-slice.ts';
import type { ErrorPath, PathCursor, Read, ValidationErrors } from './validation-errors.ts';

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
