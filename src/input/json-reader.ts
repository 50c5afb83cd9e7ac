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

/** An object or list whose members are being read. */
type Container =
  | { readonly close: '}'; readonly value: Record<string, unknown>; key: string }
  | { readonly close: ']'; readonly value: unknown[] };

/** Values that are read between two checks whether to pause. */
const valuesPerCheck = 256;

/**
 * JSON parser with the semantics of `JSON.parse`: the last of duplicate keys wins, `__proto__` is an ordinary key. It can pause, so that a
 * large text does not block the event loop. Error positions are those of Python's `json`, hence FastAPI's: the start of an invalid value,
 * the quote of an unterminated string.
 */
export class JsonReader {
  readonly #text: string;
  readonly #parseNumber: (text: string) => unknown;
  readonly #containers: Container[] = [];
  #at = 0;
  /** The document, once `read` has returned true. */
  value: unknown;

  constructor(text: string, parseNumber: (text: string) => unknown) {
    this.#text = text;
    this.#parseNumber = parseNumber;
    this.#skip(space);
  }

  /** Reads to the end, or until `isToPause` returns true; returns whether it has reached the end. */
  read(isToPause: () => boolean = () => false): boolean {
    for (let values = 1; ; values++) {
      const opened = this.#open();
      if (!opened && this.#complete(this.#readScalar())) return true;
      if (values % valuesPerCheck === 0 && isToPause()) return false;
    }
  }

  /** Enters an object or list that has members; returns false at any other value. */
  #open(): boolean {
    const container = this.#containerAt();
    if (!container) return false;
    const start = this.#at++;
    this.#skip(space);
    if (this.#text[this.#at] === container.close) {
      // Read as a scalar.
      this.#at = start;
      return false;
    }
    this.#containers.push(container);
    if (container.close === '}') this.#readKey(container);
    return true;
  }

  #containerAt(): Container | undefined {
    const character = this.#text[this.#at];
    if (character === '{') return { close: '}', value: {}, key: '' };
    return character === '[' ? { close: ']', value: [] } : undefined;
  }

  /** Adds a value to its container, and leaves each container that ends with it; returns whether the document has ended. */
  #complete(given: unknown): boolean {
    let value = given;
    for (;;) {
      const container = this.#containers.at(-1);
      this.#skip(space);
      if (!container) {
        if (this.#at < this.#text.length) this.#unexpected(this.#at);
        this.value = value;
        return true;
      }
      addMember(container, value);
      if (this.#text[this.#at] === ',') {
        this.#at++;
        this.#skip(space);
        // No trailing comma.
        if (this.#text[this.#at] === container.close) this.#unexpected(this.#at);
        if (container.close === '}') this.#readKey(container);
        return false;
      }
      if (this.#text[this.#at] !== container.close) this.#unexpected(this.#at);
      this.#at++;
      this.#containers.pop();
      value = container.value;
    }
  }

  #readKey(container: { key: string }): void {
    if (this.#text[this.#at] !== '"') this.#unexpected(this.#at);
    container.key = this.#readString();
    this.#skip(space);
    if (this.#text[this.#at] !== ':') this.#unexpected(this.#at);
    this.#at++;
    this.#skip(space);
  }

  /** Reads a value without members. */
  #readScalar(): unknown {
    const start = this.#at;
    const character = this.#text[start];
    if (character === '"') return this.#readString();
    const empty = this.#containerAt();
    if (empty) {
      this.#at = this.#text.indexOf(empty.close, start) + 1;
      return empty.value;
    }
    if (this.#skip(number)) return this.#parseNumber(this.#text.slice(start, this.#at));
    return this.#skip(literal) ? literals[this.#text.slice(start, this.#at)] : this.#unexpected(start);
  }

  #readString(): string {
    const text = this.#text;
    const start = this.#at++;
    this.#skip(plainCharacters);
    if (text[this.#at] === '"') return text.slice(start + 1, this.#at++);
    while (text[this.#at] !== '"') {
      if (this.#at >= text.length) this.#unexpected(start);
      if (text[this.#at] !== '\\') this.#unexpected(this.#at);
      this.#readEscape(start);
      this.#skip(plainCharacters);
    }
    // `JSON.parse` is safe for a single string: its bug affects keys only.
    return JSON.parse(text.slice(start, ++this.#at));
  }

  #readEscape(start: number): void {
    const escaped = this.#text[this.#at + 1];
    if (escaped === undefined) this.#unexpected(start);
    if (!'"\\/bfnrtu'.includes(escaped ?? '')) this.#unexpected(this.#at);
    if (escaped !== 'u') {
      this.#at += 2;
      return;
    }
    const hex = this.#at + 1;
    this.#at += 2;
    // Python reports the escape if the text ends right after the four digits.
    if (!this.#skip(hexDigits) || this.#at >= this.#text.length) this.#unexpected(hex);
  }

  /** Advances past a match of the sticky pattern; returns whether there was one. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #unexpected(position: number): never {
    throw new JsonSyntaxError(this.#text, position);
  }
}

function addMember(container: Container, value: unknown): void {
  if (container.close === ']') container.value.push(value);
  else if (container.key !== '__proto__') container.value[container.key] = value;
  else {
    Object.defineProperty(container.value, container.key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}
