import type { Steps } from '../scheduling/time-slice.ts';
import { endOfString, isJsonSpace, type JsonLimits, jsonCodes } from './json-structure.ts';

/** Characters that are parsed natively in one step: some 0.2 ms. */
const defaultPartLength = 16 * 1024;

const { quote, comma, colon, openBracket, closeBracket, openBrace, closeBrace } = jsonCodes;

/**
 * Parses a JSON text by `JSON.parse` in parts of bounded length and structure, since that takes some 7 ms for each MB of a menu, and up to 100 ms for other texts:
 * what is larger than a part is taken apart here. Throws a SyntaxError where `JSON.parse` does. For texts whose keys have no escape sequences.
 */
export function* parseInParts(text: string, limits: JsonLimits, partLength = defaultPartLength): Steps<unknown> {
  const reader = new PartReader(text, limits, partLength);
  const value = yield* reader.readValue();
  if (!Number.isNaN(reader.nextCode())) throw unexpected(reader.at);
  return value;
}

class PartReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #partLength: number;
  /** Containers around `at`. */
  #depth = 0;
  at = 0;

  constructor(text: string, limits: JsonLimits, partLength: number) {
    this.#text = text;
    this.#limits = limits;
    this.#partLength = partLength;
  }

  /** Skips white space; NaN at the end. */
  nextCode(): number {
    let next = this.#text.charCodeAt(this.at);
    while (isJsonSpace(next)) next = this.#text.charCodeAt(++this.at);
    return next;
  }

  *readValue(): Steps<unknown> {
    const first = this.nextCode();
    const start = this.at;
    const end = this.#findEnd(start, start);
    if (end !== undefined) {
      this.at = end;
      return JSON.parse(this.#text.slice(start, end));
    }
    if (first !== openBrace && first !== openBracket) throw unexpected(start);
    this.#limits.add({ containers: 1 }, start);
    this.#depth++;
    this.at++;
    const container = yield* first === openBrace ? this.#readObject() : this.#readList();
    this.at++;
    this.#depth--;
    return container;
  }

  *#readObject(): Steps<object> {
    const object: Record<string, unknown> = {};
    for (;;) {
      if (this.nextCode() !== quote) throw unexpected(this.at);
      const end = endOfString(this.#text, this.at);
      const key: string = JSON.parse(this.#text.slice(this.at, end));
      this.#limits.add({ keys: 1 }, this.at);
      this.at = end;
      this.#expect(colon);
      const value = yield* this.readValue();
      // As `JSON.parse` does, also for `__proto__`.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      if (this.nextCode() === closeBrace) return object;
      this.#expect(comma);
    }
  }

  *#readList(): Steps<unknown[]> {
    const list: unknown[] = [];
    for (;;) {
      yield;
      this.nextCode();
      const start = this.at;
      const end = this.#findEnd(start, start + this.#partLength);
      if (end === undefined) list.push(yield* this.readValue());
      else {
        const elements: unknown[] = JSON.parse(`[${this.#text.slice(start, end)}]`);
        // A list that is taken apart is not empty, and none ends with a comma.
        if (elements.length === 0) throw unexpected(end);
        for (const element of elements) list.push(element);
        this.at = end;
      }
      if (this.nextCode() === closeBracket) return list;
      this.#expect(comma);
    }
  }

  #expect(expected: number): void {
    if (this.nextCode() !== expected) throw unexpected(this.at);
    this.at++;
  }

  /**
   * Finds the end of the values from `start` on, and counts them: before the first comma after `minEnd`, or the bracket or brace that follows them.
   * Undefined for a single value that is longer than a part and has members.
   */
  #findEnd(start: number, minEnd: number): number | undefined {
    const text = this.#text;
    const { length } = text;
    const maxEnd = start + this.#partLength;
    let depth = 0;
    let deepest = 0;
    let containers = 0;
    let keys = 0;
    let values = 0;
    /** The last comma between two values, and what was found before it. */
    let cut = start;
    let containersBefore = 0;
    let keysBefore = 0;
    let valuesBefore = 0;
    let at = start;
    for (; at < length; at++) {
      const next = text.charCodeAt(at);
      if (next === quote) at = endOfString(text, at) - 1;
      else if (next === openBracket || next === openBrace) {
        containers++;
        if (++depth > deepest) {
          deepest = depth;
          this.#limits.checkNesting(this.#depth + depth, at);
        }
      } else if (next === closeBracket || next === closeBrace) {
        if (--depth < 0) break;
      } else if (next === colon) keys++;
      else if (next === comma) {
        values++;
        if (depth === 0) {
          if (at >= minEnd) break;
          cut = at;
          containersBefore = containers;
          keysBefore = keys;
          valuesBefore = values;
        }
      }
      if (depth > 0 && at > maxEnd) {
        if (cut === start) return undefined;
        this.#limits.add({ containers: containersBefore, keys: keysBefore, values: valuesBefore }, cut);
        return cut;
      }
    }
    this.#limits.add({ containers, keys, values }, at);
    return Math.min(at, length);
  }
}

const unexpected = (at: number) => new SyntaxError(`Unexpected token in JSON at position ${at}`);
