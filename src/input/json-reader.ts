/** Has the position of the error in code points from 0, as Python's `json` counts them. */
export class JsonSyntaxError extends SyntaxError {
  readonly position: number;

  constructor(text: string, at: number) {
    const position = codePointsIn(text, at);
    super(`Unexpected ${at < text.length ? JSON.stringify(text[at]) : 'end'} in JSON at position ${position}`);
    this.position = position;
  }
}

function codePointsIn(text: string, end: number): number {
  let count = end;
  for (let at = 1; at < end; at++) if (isLowSurrogate(text, at) && isHighSurrogate(text, at - 1)) count--;
  return count;
}

const isHighSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const literal = /null|true|false/y;
const literals: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };
const plainCharacters = new RegExp(`[^"\\\\${String.fromCharCode(0)}-${String.fromCharCode(0x1f)}]*`, 'y');
const hexDigits = /[0-9a-fA-F]{4}/y;

/**
 * Recursive-descent JSON parser with the semantics of `JSON.parse`: the last of duplicate keys wins, `__proto__` is an ordinary key.
 * Error positions are those of Python's `json`, hence FastAPI's: the start of an invalid value, the quote of an unterminated string.
 */
export function readJson(text: string, parseNumber: (text: string) => unknown): unknown {
  let at = 0;

  function unexpected(position: number): never {
    throw new JsonSyntaxError(text, position);
  }

  /** Advances past a match of the sticky pattern; returns whether there was one. */
  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  }

  function readValue(): unknown {
    const start = at;
    if (text[at] === '"') return readString();
    if (text[at] === '{') return readObject();
    if (text[at] === '[') return readList();
    if (skip(number)) return parseNumber(text.slice(start, at));
    return skip(literal) ? literals[text.slice(start, at)] : unexpected(start);
  }

  /** Reads the comma-separated members up to the closing bracket. */
  function readMembers(close: string, readMember: () => void): void {
    at++;
    skip(space);
    while (text[at] !== close) {
      readMember();
      skip(space);
      if (text[at] === close) break;
      if (text[at] !== ',') unexpected(at);
      at++;
      skip(space);
      // No trailing comma.
      if (text[at] === close) unexpected(at);
    }
    at++;
  }

  function readList(): unknown[] {
    const list: unknown[] = [];
    readMembers(']', () => list.push(readValue()));
    return list;
  }

  function readObject(): object {
    const object: Record<string, unknown> = {};
    readMembers('}', () => {
      if (text[at] !== '"') unexpected(at);
      const key = readString();
      skip(space);
      if (text[at] !== ':') unexpected(at);
      at++;
      skip(space);
      const value = readValue();
      if (key !== '__proto__') object[key] = value;
      else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    });
    return object;
  }

  function readString(): string {
    const start = at++;
    skip(plainCharacters);
    if (text[at] === '"') return text.slice(start + 1, at++);
    while (text[at] !== '"') {
      if (at >= text.length) unexpected(start);
      if (text[at] !== '\\') unexpected(at);
      readEscape(start);
      skip(plainCharacters);
    }
    // `JSON.parse` is safe for a single string: its bug affects keys only.
    return JSON.parse(text.slice(start, ++at));
  }

  function readEscape(start: number): void {
    const escaped = text[at + 1];
    if (escaped === undefined) unexpected(start);
    if (!'"\\/bfnrtu'.includes(escaped ?? '')) unexpected(at);
    if (escaped !== 'u') {
      at += 2;
      return;
    }
    const hex = at + 1;
    at += 2;
    // Python reports the escape if the text ends right after the four digits.
    if (!skip(hexDigits) || at >= text.length) unexpected(hex);
  }

  skip(space);
  const value = readValue();
  skip(space);
  return at < text.length ? unexpected(at) : value;
}
