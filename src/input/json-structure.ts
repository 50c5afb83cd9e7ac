const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Where a JSON text exceeds a limit, and by what. */
export interface StructureProblem {
  /** In bytes. */
  readonly position: number;
  readonly problem: string;
}

/** More than the largest menu has that can be posted. Each object, and each key that is new to it, costs the parser most of a microsecond. */
const maxContainers = 300_000;
const maxKeys = 500_000;
const maxValues = 1_000_000;

/**
 * Checks the structure of a JSON text before it is parsed: what it nests, and how many objects, keys and values it has. 10 MiB of brackets or of empty
 * objects would take the parser seconds. The text need not be valid.
 */
export function findStructureProblem(
  bytes: Buffer,
  { maxNesting }: { readonly maxNesting: number },
): StructureProblem | undefined {
  let depth = 0;
  let containers = 0;
  let keys = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) index = findStringEnd(bytes, index);
    else if (byte === comma) {
      if (++values > maxValues) return exceeded(index, maxValues, 'values');
    } else if (byte === colon) {
      if (++keys > maxKeys) return exceeded(index, maxKeys, 'keys');
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxNesting) return { position: index, problem: `nested deeper than ${maxNesting} levels` };
      if (++containers > maxContainers) return exceeded(index, maxContainers, 'objects and lists');
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return undefined;
}

function exceeded(position: number, limit: number, noun: string): StructureProblem {
  return { position, problem: `more than ${limit.toLocaleString('en-US')} ${noun}` };
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
