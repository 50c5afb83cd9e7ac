import { runInSlices, type Steps } from '@carte/base/time-slice';
import { responseTooLarge } from './response-limit.ts';

/** Values that `JSON.stringify` writes in one step: some 0.5 ms. */
const valuesPerStep = 2_500;

/** Serializes a response, a large one in slices; one with few objects may still exceed V8's longest string (512 MB). */
export function stringifyResponse(response: object): string | Promise<string> {
  try {
    const shape = new Shape();
    if (!shape.isLarge(response)) return `${JSON.stringify(response)}\n`;
    const text = runInSlices(stringify(response, shape));
    return text instanceof Promise ? text.catch(tooLong) : text;
  } catch (error) {
    return tooLong(error);
  }
}

function tooLong(error: unknown): string {
  if (!(error instanceof RangeError)) throw error;
  const message = 'The response is longer than can be sent; request less at once.';
  return `${JSON.stringify({ errors: [{ message, extensions: { code: responseTooLarge } }] })}\n`;
}

/** Writes the same text as `JSON.stringify`, and a line end. */
function* stringify(response: object, shape: Shape): Steps<string> {
  const parts: string[] = [];
  yield* write(response, shape, parts);
  parts.push('\n');
  return parts.join('');
}

/** Writes a value that has too many values for one step. */
function* write(value: object, shape: Shape, parts: string[]): Steps<void> {
  if ('toJSON' in value) parts.push(JSON.stringify(value));
  else if (Array.isArray(value)) yield* writeList(value, shape, parts);
  else yield* writeObject(value, shape, parts);
}

function* writeObject(object: object, shape: Shape, parts: string[]): Steps<void> {
  let separator = '{';
  for (const key in object) {
    const value: unknown = object[key as keyof typeof object];
    if (value === undefined) continue;
    parts.push(`${separator}${JSON.stringify(key)}:`);
    separator = ',';
    const below = shape.below(key);
    if (below?.isLarge(value)) yield* write(value, below, parts);
    else parts.push(JSON.stringify(value));
    yield;
  }
  parts.push(separator === '{' ? '{}' : '}');
}

/** Writes elements with few values together. */
function* writeList(list: readonly unknown[], shape: Shape, parts: string[]): Steps<void> {
  let separator = '[';
  const writeElements = (start: number, end: number) => {
    if (start === end) return;
    parts.push(separator, JSON.stringify(list.slice(start, end)).slice(1, -1));
    separator = ',';
  };
  let start = 0;
  let values = 0;
  for (const [index, element] of list.entries()) {
    const count = shape.count(element, valuesPerStep);
    values += count;
    if (values < valuesPerStep) continue;
    writeElements(start, index);
    start = index;
    values = count;
    if (shape.isLarge(element)) {
      parts.push(separator);
      separator = ',';
      yield* write(element, shape, parts);
      start = index + 1;
      values = 0;
    }
    yield;
  }
  writeElements(start, list.length);
  parts.push(separator === '[' ? '[]' : ']');
}

/**
 * Which keys of the objects at one position of a response have lists and objects, by the first of them: all have the same selection. Counting
 * the values of the others by their keys would take as long as to write them.
 */
class Shape {
  #below: ReadonlyMap<string, Shape> | undefined;
  #keys = 0;

  below(key: string): Shape | undefined {
    return this.#below?.get(key);
  }

  isLarge(value: unknown): value is object {
    return this.count(value, valuesPerStep) === valuesPerStep;
  }

  /** Counts the values in a value, itself included, up to a limit. */
  count(value: unknown, limit: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    if (Array.isArray(value)) {
      let count = 1;
      for (const element of value) {
        count += this.count(element, limit - count);
        if (count >= limit) return limit;
      }
      return count;
    }
    this.#below ??= this.#read(value);
    let count = this.#keys;
    for (const [key, shape] of this.#below) {
      count += shape.count(value[key as keyof typeof value], limit - count);
      if (count >= limit) return limit;
    }
    return Math.min(count, limit);
  }

  #read(object: object): ReadonlyMap<string, Shape> {
    const below = new Map<string, Shape>();
    this.#keys = 1;
    for (const key in object) {
      this.#keys += 1;
      if (typeof object[key as keyof typeof object] === 'object') below.set(key, new Shape());
    }
    return below;
  }
}
