import { runInSlices, type Steps } from '../scheduling/time-slice.ts';
import { responseTooLarge } from './response-limit.ts';

/** Values that `JSON.stringify` writes in one step: some 0.1 ms. */
const valuesPerStep = 500;

/** Serializes a response, a large one in slices; one with few objects may still exceed V8's longest string (512 MB). */
export function stringifyResponse(response: object): string | Promise<string> {
  try {
    const text = runInSlices(stringify(response));
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
function* stringify(response: object): Steps<string> {
  if (countValues(response, valuesPerStep) < valuesPerStep) return `${JSON.stringify(response)}\n`;
  const parts: string[] = [];
  yield* write(response, parts);
  parts.push('\n');
  return parts.join('');
}

/** Writes a value that has too many values for one step. */
function* write(value: object, parts: string[]): Steps<void> {
  if (!isDivisible(value)) parts.push(JSON.stringify(value));
  else if (Array.isArray(value)) yield* writeList(value, parts);
  else yield* writeObject(value, parts);
}

function* writeObject(object: object, parts: string[]): Steps<void> {
  let separator = '{';
  for (const key in object) {
    const value: unknown = object[key as keyof typeof object];
    if (value === undefined) continue;
    parts.push(`${separator}${JSON.stringify(key)}:`);
    separator = ',';
    if (isLarge(value)) yield* write(value, parts);
    else parts.push(JSON.stringify(value));
    yield;
  }
  parts.push(separator === '{' ? '{}' : '}');
}

/** Writes elements with few values together. */
function* writeList(list: readonly unknown[], parts: string[]): Steps<void> {
  let separator = '[';
  let small: unknown[] = [];
  let values = 0;
  const flush = () => {
    if (small.length === 0) return;
    parts.push(separator, JSON.stringify(small).slice(1, -1));
    separator = ',';
    small = [];
    values = 0;
  };
  for (const element of list) {
    const count = countValues(element, valuesPerStep);
    if (count < valuesPerStep) {
      small.push(element);
      values += count;
    } else {
      flush();
      parts.push(separator);
      separator = ',';
      yield* write(element as object, parts);
    }
    if (values >= valuesPerStep) flush();
    yield;
  }
  flush();
  parts.push(separator === '[' ? '[]' : ']');
}

const isLarge = (value: unknown): value is object => countValues(value, valuesPerStep) === valuesPerStep;

/** Whether a value is written as the list or object that it is. */
const isDivisible = (value: object): boolean => !('toJSON' in value || JSON.isRawJSON(value));

/** Counts the values in a value, itself included, up to a limit. */
function countValues(value: unknown, limit: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const key in value) {
    count += countValues(value[key as keyof typeof value], limit - count);
    if (count >= limit) return limit;
  }
  return count;
}
