import { parseJson } from '@carte/base/json';
import type { Steps } from '@carte/base/time-slice';

/** Between the rows of `json_agg`; a string has no line break that is not escaped. */
const separator = ', \n ';

/** Up to this length a list is parsed at once, in less than a millisecond. */
const maxShortLength = 64 * 1024;

/** Characters that are parsed in one step: some 0.1 ms. */
const charactersPerStep = 8 * 1024;

/** Parses a list from `json_agg` in parts, since parsing is native and takes some 10 ms for each MB. */
export function* parseJsonList(text: string): Steps<readonly unknown[]> {
  if (text.length <= maxShortLength) return parseJson(text) as readonly unknown[];
  try {
    return yield* parseParts(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A value that was written by hand has line breaks of its own.
    return parseJson(text) as readonly unknown[];
  }
}

function* parseParts(text: string): Steps<readonly unknown[]> {
  const list: unknown[] = [];
  const last = text.length - 1;
  for (let start = 1; start < last; ) {
    const found = text.indexOf(separator, start + charactersPerStep);
    const end = found === -1 ? last : found;
    list.push(...(parseJson(`[${text.slice(start, end)}]`) as readonly unknown[]));
    start = end + separator.length;
    yield;
  }
  return list;
}
