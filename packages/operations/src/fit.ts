import { isObject } from '@carte/base/json';

/** A JSON value with shorter lists and texts, and what was left out of it, as sentences. */
interface Shortened {
  readonly value: unknown;
  readonly omissions: readonly string[];
}

/** A text may have so many characters for each element that a list may have. */
const charactersPerElement = 16;
const ellipsis = '…';
/** More places are counted. */
const maxOmissions = 20;

/** Shortens the longest lists and texts of a JSON value until its text has at most so many bytes; takes as long as writing a few texts of that size. */
export function fitJson(whole: unknown, maxBytes: number): Shortened {
  const isFitting = (length: number) => Buffer.byteLength(JSON.stringify(shorten(whole, length))) <= maxBytes;
  // From below, so that nothing is written that is much larger.
  let tooLong = 1;
  while (isFitting(tooLong) && tooLong < Number.MAX_SAFE_INTEGER / 2) tooLong *= 2;
  let length = Math.floor(tooLong / 2);
  while (tooLong - length > 1) {
    const middle = Math.floor((length + tooLong) / 2);
    if (isFitting(middle)) length = middle;
    else tooLong = middle;
  }
  const omissions: string[] = [];
  const value = shorten(whole, length, (path, sentence) => {
    omissions.push(`${path.join('.') || 'result'}: ${sentence}`);
  });
  const others = omissions.length - maxOmissions;
  return { value, omissions: others > 0 ? [...omissions.slice(0, maxOmissions), `and ${others} more`] : omissions };
}

type Report = (path: readonly string[], sentence: string) => void;

/** Leaves so many elements of each list, and as much of each text. */
function shorten(value: unknown, length: number, report: Report = () => {}, path: readonly string[] = []): unknown {
  if (typeof value === 'string') {
    const characters = length * charactersPerElement;
    if (value.length <= characters) return value;
    report(path, `the first ${characters} of ${value.length} characters`);
    // Not within a surrogate pair.
    return `${value.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')}${ellipsis}`;
  }
  if (Array.isArray(value)) {
    if (value.length > length) report(path, `the first ${length} of ${value.length} elements`);
    return value.slice(0, length).map((element, at) => shorten(element, length, report, [...path, String(at)]));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [key, shorten(element, length, report, [...path, key])]),
  );
}
