import { isObject } from '@carte/base/json';

/** A JSON value that fits, and what was left out of it, as sentences. */
interface Fitted {
  readonly value: unknown;
  readonly omissions: readonly string[];
}

const ellipsis = '…';
/** More places are counted. */
const maxOmissions = 20;

/** Shortens the lists and texts of a JSON value, the longest ones first, until its text has at most so many bytes. */
export function fitJson(whole: unknown, maxBytes: number): Fitted {
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  // Elements of each list, and characters of each text times 1/16: a text is worth as much as a line of a list.
  let [fits, tooLong] = [0, longestIn(whole)];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (sizeOf(shorten(whole, middle)) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  const omissions: string[] = [];
  const value = shorten(
    whole,
    fits,
    (path, sentence) => void omissions.push(`${path.join('.') || 'result'}: ${sentence}`),
  );
  const others = omissions.length - maxOmissions;
  const listed = others > 0 ? [...omissions.slice(0, maxOmissions), `and ${others} more`] : omissions;
  return { value, omissions: listed };
}

const charactersPerElement = 16;

function longestIn(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / charactersPerElement) + 1;
  if (!Array.isArray(value) && !isObject(value)) return 1;
  let longest = Array.isArray(value) ? value.length + 1 : 1;
  for (const element of Object.values(value)) longest = Math.max(longest, longestIn(element));
  return longest;
}

type Report = (path: readonly string[], sentence: string) => void;

function shorten(value: unknown, most: number, report: Report = () => {}, path: readonly string[] = []): unknown {
  if (typeof value === 'string') {
    const characters = most * charactersPerElement;
    if (value.length <= characters) return value;
    report(path, `the first ${characters} of ${value.length} characters`);
    // Not within a surrogate pair.
    return `${value.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')}${ellipsis}`;
  }
  if (Array.isArray(value)) {
    if (value.length > most) report(path, `the first ${most} of ${value.length} elements`);
    return value.slice(0, most).map((element, index) => shorten(element, most, report, [...path, String(index)]));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [key, shorten(element, most, report, [...path, key])]),
  );
}
