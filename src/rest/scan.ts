const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Where brackets first nest deeper than this; undefined where they do not. */
export function positionBeyond(bytes: Buffer, limit: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openBrace || byte === openBracket) {
      depth++;
      if (depth > limit) return at;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return undefined;
}

/** The closing quote of the string that opens here; the end of the text where there is none. */
function endOfString(bytes: Buffer, start: number): number {
  let end = start;
  do {
    end = bytes.indexOf(quote, end + 1);
    if (end < 0) return bytes.length;
    // A quote after an odd number of backslashes is part of the string.
  } while (backslashesBefore(bytes, end) % 2 === 1);
  return end;
}

function backslashesBefore(bytes: Buffer, at: number): number {
  let count = 0;
  while (bytes[at - count - 1] === backslash) count++;
  return count;
}
