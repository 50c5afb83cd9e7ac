const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The position of the first bracket or brace that nests deeper than the limit. For bodies before they are parsed: 10 MiB of opening brackets
 * would take the parser two seconds.
 */
export function findNestingBeyond(limit: number, bytes: Buffer): number | undefined {
  let depth = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) index = findStringEnd(bytes, index);
    else if (byte === openBrace || byte === openBracket) {
      depth++;
      if (depth > limit) return index;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return undefined;
}

/** The position of the closing quote; the length of the text for an unterminated string. */
function findStringEnd(bytes: Buffer, start: number): number {
  let end = start;
  do {
    end = bytes.indexOf(quote, end + 1);
    if (end < 0) return bytes.length;
    // A quote after an odd number of backslashes is escaped.
  } while (countBackslashesBefore(bytes, end) % 2 === 1);
  return end;
}

function countBackslashesBefore(bytes: Buffer, index: number): number {
  let count = 0;
  while (bytes[index - count - 1] === backslash) count++;
  return count;
}
