/** Thrown at the first character that does not fit. */
class Misfit extends Error {
  readonly at: number;
  constructor(at: number) {
    super();
    this.at = at;
  }
}

/**
 * Where a text stops being JSON, in characters from 0. It is the position that Python's `json` gives, and so FastAPI: of a value that
 * cannot be read it is the start, of a string without an end its opening quote.
 */
export function errorPosition(text: string): number {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0)));
    return charactersIn(text, end);
  } catch (error) {
    if (error instanceof Misfit) return charactersIn(text, error.at);
    throw error;
  }
}

/** Python counts code points. */
const charactersIn = (text: string, end: number) => [...text.slice(0, end)].length;

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const word = /null|true|false/y;
const plainCharacters = new RegExp(`[^"\\\\${String.fromCharCode(0)}-${String.fromCharCode(0x1f)}]*`, 'y');
const hexDigits = /[0-9a-fA-F]{4}/y;

/** Where a match at the position ends; undefined where there is none. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const skipSpace = (text: string, at: number) => endOf(space, text, at) ?? at;

function readValue(text: string, at: number): number {
  switch (text[at]) {
    case '"':
      return readString(text, at);
    case '{':
      return readMembers(text, at, { close: '}', readMember });
    case '[':
      return readMembers(text, at, { close: ']', readMember: readValue });
    default:
      return endOf(number, text, at) ?? endOf(word, text, at) ?? misfit(at);
  }
}

interface Members {
  readonly close: string;
  readonly readMember: (text: string, at: number) => number;
}

function readMembers(text: string, start: number, { close, readMember: read }: Members): number {
  let at = skipSpace(text, start + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(text, read(text, at));
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') return misfit(at);
    at = skipSpace(text, at + 1);
  }
}

function readMember(text: string, start: number): number {
  if (text[start] !== '"') return misfit(start);
  const at = skipSpace(text, readString(text, start));
  return text[at] === ':' ? readValue(text, skipSpace(text, at + 1)) : misfit(at);
}

function readString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    at = endOf(plainCharacters, text, at) ?? at;
    if (at >= text.length) return misfit(start);
    if (text[at] === '"') return at + 1;
    if (text[at] !== '\\') return misfit(at);
    const escaped = text[at + 1];
    if (escaped === undefined) return misfit(start);
    // Python wants a character after the four digits.
    if (escaped === 'u')
      at = text.length > at + 6 ? (endOf(hexDigits, text, at + 2) ?? misfit(at + 1)) : misfit(at + 1);
    else if ('"\\/bfnrt'.includes(escaped)) at += 2;
    else return misfit(at);
  }
}

function misfit(at: number): never {
  throw new Misfit(at);
}
