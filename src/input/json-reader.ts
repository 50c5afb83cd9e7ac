/** Names the position of the first character that does not fit, in characters from 0, as Python's `json` counts them. */
export class JsonSyntaxError extends SyntaxError {
  readonly position: number;

  constructor(text: string, at: number) {
    const position = charactersIn(text, at);
    super(`Unexpected ${at < text.length ? JSON.stringify(text[at]) : 'end'} in JSON at position ${position}`);
    this.position = position;
  }
}

function charactersIn(text: string, end: number): number {
  let count = end;
  for (let at = 1; at < end; at++) if (isLow(text, at) && isHigh(text, at - 1)) count--;
  return count;
}

const isHigh = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLow = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const word = /null|true|false/y;
const words: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };
const plainCharacters = new RegExp(`[^"\\\\${String.fromCharCode(0)}-${String.fromCharCode(0x1f)}]*`, 'y');
const hexDigits = /[0-9a-fA-F]{4}/y;

/**
 * Reads JSON as `JSON.parse` is meant to: the last of equal keys counts, and `__proto__` is a key like any other. Errors stand where
 * Python's `json` has them, and so FastAPI: at the start of a value that cannot be read, at the quote of a string without an end.
 */
export function readJson(text: string, parseNumber: (text: string) => unknown): unknown {
  let at = 0;

  function misfit(position: number): never {
    throw new JsonSyntaxError(text, position);
  }

  /** Moves behind what the pattern matches here; false where it does not. */
  function pass(pattern: RegExp): boolean {
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
    if (pass(number)) return parseNumber(text.slice(start, at));
    return pass(word) ? words[text.slice(start, at)] : misfit(start);
  }

  /** The members between brackets; each is read by `readMember`. */
  function readMembers(close: string, readMember: () => void): void {
    at++;
    pass(space);
    while (text[at] !== close) {
      readMember();
      pass(space);
      if (text[at] === close) break;
      if (text[at] !== ',') misfit(at);
      at++;
      pass(space);
      // A comma must be followed by another member.
      if (text[at] === close) misfit(at);
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
      if (text[at] !== '"') misfit(at);
      const key = readString();
      pass(space);
      if (text[at] !== ':') misfit(at);
      at++;
      pass(space);
      const value = readValue();
      if (key !== '__proto__') object[key] = value;
      else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    });
    return object;
  }

  function readString(): string {
    const start = at++;
    pass(plainCharacters);
    if (text[at] === '"') return text.slice(start + 1, at++);
    while (text[at] !== '"') {
      if (at >= text.length) misfit(start);
      if (text[at] !== '\\') misfit(at);
      readEscape(start);
      pass(plainCharacters);
    }
    // A string alone is safe with `JSON.parse`, whose error is in keys.
    return JSON.parse(text.slice(start, ++at));
  }

  function readEscape(start: number): void {
    const escaped = text[at + 1];
    if (escaped === undefined) misfit(start);
    if (!'"\\/bfnrtu'.includes(escaped ?? '')) misfit(at);
    if (escaped !== 'u') {
      at += 2;
      return;
    }
    const hex = at + 1;
    at += 2;
    // Python wants a character after the four digits.
    if (!pass(hexDigits) || at >= text.length) misfit(hex);
  }

  pass(space);
  const value = readValue();
  pass(space);
  return at < text.length ? misfit(at) : value;
}
