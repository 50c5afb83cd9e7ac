declare global {
  interface JSON {
    /** Creates a value that JSON.stringify writes as this text (ECMAScript 2026; not in TypeScript's library yet). */
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

interface RawNumber {
  readonly rawJSON: string;
}

/**
 * Parses untrusted JSON. `JSON.parse` of Node 23.6 to 26 may return the key of an earlier document for an escaped key
 * (nodejs/node#63785), so texts with such a key use our own parser. Throws a SyntaxError, as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  return hasEscapedKey(text) ? new JsonReader(text).read() : JSON.parse(text);
}

/**
 * Parses JSON without losing digits: numbers that a double prints differently (`1.50`, `12345678901234567890`) become
 * `JSON.rawJSON`.
 */
export function parseExactJson(text: string): unknown {
  const isInexact = mayBeInexact.test(text) && hasInexactNumber.test(text);
  return isInexact || hasEscapedKey(text) ? new JsonReader(text, exactNumber).read() : JSON.parse(text);
}

/** Returns the value of a number or raw number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Cheap pre-check that excludes most texts. */
const mayBeInexact = /\d(?:[.eE]|\d{15})|-0/;

/**
 * Matches numbers that a double may print differently: an exponent, 16 digits or more, a fraction that ends in 0 or begins with
 * six zeros, and -0. A false positive, such as a string that looks like one, costs only the slower parser.
 */
const hasInexactNumber = /(?:^|"\s*:|[[,])\s*(?:-?\d(?:[\d.]{15}|\d*\.(?:\d*0(?!\d)|0{6})|[\d.]*[eE])|-0(?![.\d]))/;

function exactNumber(text: string): number | RawNumber {
  const number = Number(text);
  // Numbers beyond the range of a double become Infinity, which readers reject.
  return String(number) === text || !Number.isFinite(number) ? number : JSON.rawJSON(text);
}

/** Looks for a key with an escape sequence in one pass over the strings with a backslash. */
export function hasEscapedKey(text: string): boolean {
  // In JSON a backslash occurs in strings only, and a string followed by a colon is a key. For invalid JSON the result does
  // not matter: either parser fails at the first backslash outside a string.
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    while (isJsonSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) === jsonCodes.colon) return true;
  }
  return false;
}

/** Codes of the characters that structure JSON. */
export const jsonCodes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

export const isJsonSpace = (character: number) =>
  character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;

/** The position after the closing quote of the string that begins at `start`; the length of the text if it has none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - backslashes - 1) === jsonCodes.backslash) backslashes++;
    // A quote after an odd number of backslashes is escaped.
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Has the position of the error in code points from 0, as Python's `json` counts them. */
export class JsonSyntaxError extends SyntaxError {
  readonly position: number;
  /** The same in UTF-16 code units. */
  readonly at: number;

  constructor(text: string, at: number) {
    const position = codePointsIn(text, at);
    super(`Unexpected ${at < text.length ? JSON.stringify(text[at]) : 'end'} in JSON at position ${position}`);
    this.position = position;
    this.at = at;
  }
}

/** Counts without a list of them, which takes ten times as long and as much memory as the text. */
export function codePointsIn(text: string, end = text.length): number {
  let count = end;
  for (let at = 1; at < end; at++) if (isLowSurrogate(text, at) && isHighSurrogate(text, at - 1)) count--;
  return count;
}

const isHighSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const literals: readonly (readonly [text: string, value: unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

const { quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace } = jsonCodes;
const firstPlain = 0x20;
const escapes: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map(character => character.charCodeAt(0)));
const unicodeEscape = 'u'.charCodeAt(0);

const isHexDigit = (code: number) =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

/** An object whose members are being read: their number, and the key of the next. */
export interface OpenObject {
  readonly close: typeof closeBrace;
  readonly value: Record<string, unknown>;
  key: string;
  members: number;
}

type Container = OpenObject | { readonly close: typeof closeBracket; readonly value: unknown[] };

/**
 * JSON parser with the semantics of `JSON.parse`: the last of duplicate keys wins, `__proto__` is an ordinary key. Error positions are
 * those of Python's `json`, hence FastAPI's: the start of an invalid value, the quote of an unterminated string.
 */
export class JsonReader {
  protected readonly text: string;
  protected readonly containers: Container[] = [];
  protected at = 0;
  readonly #parseNumber: (text: string) => unknown;
  /** The document, once it has ended. */
  value: unknown;
  /** Keys with escape sequences that were read. */
  escapedKeys = 0;

  constructor(text: string, parseNumber: (text: string) => unknown = Number) {
    this.text = text;
    this.#parseNumber = parseNumber;
  }

  read(): unknown {
    while (!this.step());
    return this.value;
  }

  /** Reads up to the end of a value, or into an object or list; returns whether the document has ended. */
  step(): boolean {
    const value = this.readValue(this.nextCode());
    return value !== undefined && this.#complete(value);
  }

  /** Reads the value that begins here; undefined where it has entered an object or list. */
  protected readValue(code: number): unknown {
    if (code !== openBrace && code !== openBracket) return this.#readScalar(code);
    const container: Container =
      code === openBrace ? { close: closeBrace, value: {}, key: '', members: 0 } : { close: closeBracket, value: [] };
    this.at++;
    if (this.nextCode() === container.close) {
      this.at++;
      return container.value;
    }
    this.containers.push(container);
    if (container.close === closeBrace) this.readKey(container);
    return undefined;
  }

  /** Adds a value to its container, and leaves each container that ends with it; returns whether the document has ended. */
  #complete(given: unknown): boolean {
    let value = given;
    for (;;) {
      const container = this.containers.at(-1);
      const code = this.nextCode();
      if (!container) {
        if (this.at < this.text.length) this.unexpected(this.at);
        this.value = value;
        return true;
      }
      if (container.close === closeBracket) container.value.push(value);
      else setMember(container.value, container.key, value);
      if (code === comma) {
        this.at++;
        // No trailing comma.
        if (this.nextCode() === container.close) this.unexpected(this.at);
        if (container.close === closeBrace) this.readKey(container);
        return false;
      }
      if (code !== container.close) this.unexpected(this.at);
      this.at++;
      this.containers.pop();
      value = container.value;
    }
  }

  protected readKey(container: OpenObject): void {
    if (this.nextCode() !== quote) this.unexpected(this.at);
    const start = this.at;
    container.key = this.readString();
    container.members++;
    if (this.at - start - 2 !== container.key.length) this.escapedKeys++;
    if (this.nextCode() !== colon) this.unexpected(this.at);
    this.at++;
  }

  /** Skips white space; NaN at the end. */
  protected nextCode(): number {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (isJsonSpace(code)) code = text.charCodeAt(++at);
    this.at = at;
    return code;
  }

  #readScalar(code: number): unknown {
    if (code === quote) return this.readString();
    const start = this.at;
    for (const [text, value] of literals) {
      if (text.charCodeAt(0) !== code || !this.text.startsWith(text, start)) continue;
      this.at += text.length;
      return value;
    }
    number.lastIndex = start;
    if (!number.test(this.text)) this.unexpected(start);
    this.at = number.lastIndex;
    return this.#parseNumber(this.text.slice(start, this.at));
  }

  protected readString(): string {
    const text = this.text;
    const start = this.at;
    let at = start + 1;
    let isEscaped = false;
    for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
      if (code === backslash) {
        isEscaped = true;
        at = this.#endOfEscape(at, start);
      } else if (code >= firstPlain) at++;
      else this.unexpected(at < text.length ? at : start);
      if (at >= text.length) this.unexpected(start);
    }
    this.at = at + 1;
    // `JSON.parse` is safe for a single string: its bug affects keys only.
    return isEscaped ? JSON.parse(text.slice(start, this.at)) : text.slice(start + 1, at);
  }

  /** The position after an escape sequence of the string that begins at `start`. */
  #endOfEscape(at: number, start: number): number {
    const text = this.text;
    if (at + 1 >= text.length) this.unexpected(start);
    const code = text.charCodeAt(at + 1);
    if (escapes.has(code)) return at + 2;
    if (code !== unicodeEscape) this.unexpected(at);
    const end = at + 6;
    for (let digit = at + 2; digit < end; digit++) if (!isHexDigit(text.charCodeAt(digit))) this.unexpected(at + 1);
    // Python reports the escape if the text ends right after the four digits.
    if (end >= text.length) this.unexpected(at + 1);
    return end;
  }

  protected unexpected(position: number): never {
    throw new JsonSyntaxError(this.text, position);
  }
}

/** As `JSON.parse` does: `__proto__` is an ordinary key. */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
