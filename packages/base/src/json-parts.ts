import {
  endOfString,
  hasEscapedKey,
  isJsonSpace,
  JsonReader,
  JsonSyntaxError,
  jsonCodes,
  type OpenObject,
} from './json.ts';
import { runInSlices, type Steps, TimeSlice } from './time-slice.ts';

/** Characters that are parsed natively in one step: some 0.2 ms. */
const defaultPartLength = 16 * 1024;

/** Where a JSON text exceeds a limit, and which. */
export class JsonTooLarge extends SyntaxError {
  readonly position: number;
  /** Completes "the text is …". */
  readonly problem: string;

  constructor(position: number, problem: string) {
    super(`The text is ${problem} at position ${position}`);
    this.position = position;
    this.problem = problem;
  }
}

type JsonCount = 'containers' | 'keys' | 'escapedKeys' | 'values';

/** More than bodies of 10 MB have. Each object, and each key that is new to it, costs the parser most of a microsecond. */
const maxCounts: Readonly<Record<JsonCount, readonly [limit: number, noun: string]>> = {
  containers: [300_000, 'objects and lists'],
  keys: [500_000, 'keys'],
  escapedKeys: [100_000, 'keys with escape sequences'],
  values: [1_000_000, 'values'],
};

/** Of one object that is taken apart: far more than any documented one has. */
const maxMembers = 10_000;

const countNames = Object.keys(maxCounts) as readonly JsonCount[];

const { quote, comma, colon, openBracket, closeBracket, openBrace, closeBrace } = jsonCodes;

/** Up to this length `JSON.parse` takes 5 ms at most, and no count exceeds its limit. */
const maxNativeLength = 64 * 1024;

/** Parses the JSON of a request: throws `JsonTooLarge` beyond its limits, `JsonSyntaxError`, and yields to the event loop where it is large. */
export async function parseUntrustedJson(text: string, maxNesting: number): Promise<unknown> {
  if (text.length <= maxNativeLength && !isDeeper(text, maxNesting) && !hasEscapedKey(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // Below, the error gets its position.
    }
  }
  return runInSlices(parseInParts(text, maxNesting), new TimeSlice(), 1);
}

function isDeeper(text: string, maxNesting: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const next = text.charCodeAt(at);
    if (next === quote) at = endOfString(text, at) - 1;
    else if (next === closeBracket || next === closeBrace) depth--;
    else if ((next === openBracket || next === openBrace) && ++depth > maxNesting) return true;
  }
  return false;
}

/**
 * Parses a JSON text by `JSON.parse` in parts of bounded length and structure, since that takes some 7 ms for each MB of a usual text, and up to 100 ms for other texts:
 * what is larger than a part is taken apart here.
 */
export function* parseInParts(text: string, maxNesting: number, partLength = defaultPartLength): Steps<unknown> {
  const reader = new PartReader(text, maxNesting, partLength);
  while (!reader.step()) yield;
  return reader.value;
}

/** Bounds the work for a text while it is read: 10 MiB of brackets or of empty objects would take the parser seconds. */
class PartReader extends JsonReader {
  readonly #maxNesting: number;
  readonly #partLength: number;
  readonly #counts: Record<JsonCount, number> = { containers: 0, keys: 0, escapedKeys: 0, values: 0 };

  constructor(text: string, maxNesting: number, partLength: number) {
    super(text);
    this.#maxNesting = maxNesting;
    this.#partLength = partLength;
  }

  /** Adds what was found up to a position; throws `JsonTooLarge` beyond a limit. */
  #count(found: Partial<Readonly<Record<JsonCount, number>>>, position: number): void {
    for (const name of countNames) {
      if (!found[name]) continue;
      const [limit, noun] = maxCounts[name];
      this.#counts[name] += found[name];
      if (this.#counts[name] > limit) {
        throw new JsonTooLarge(position, `larger than ${limit.toLocaleString('en-US')} ${noun}`);
      }
    }
  }

  protected override readValue(code: number): unknown {
    const start = this.at;
    const container = this.containers.at(-1);
    const list = container?.close === closeBracket ? container.value : undefined;
    const end = this.#findEnd(start, list ? start + this.#partLength : start);
    if (end === undefined) {
      this.#count({ containers: 1 }, start);
      return super.readValue(code);
    }
    this.at = end;
    const part = this.text.slice(start, end);
    if (!list) return this.#parse(part, start);
    const elements = this.#parse(`[${part}`, start - 1, ']') as unknown[];
    // A list that is taken apart is not empty.
    if (elements.length === 0) this.unexpected(end);
    const last = elements.pop();
    for (const element of elements) list.push(element);
    return last;
  }

  protected override readKey(object: OpenObject): void {
    if (object.members === maxMembers) {
      const afterComma = this.text.lastIndexOf(',', this.at - 1) + 1;
      throw new JsonTooLarge(afterComma, `larger than ${maxMembers.toLocaleString('en-US')} keys in one object`);
    }
    this.nextCode();
    const { at, escapedKeys } = this;
    super.readKey(object);
    this.#count({ keys: 1, escapedKeys: this.escapedKeys - escapedKeys }, at);
  }

  /** Reads a key natively: it may be as long as a text. */
  protected override readString(): string {
    const start = this.at;
    this.at = endOfString(this.text, start);
    // The bug of `JSON.parse` does not affect single strings.
    return this.#parse(this.text.slice(start, this.at), start) as string;
  }

  /** Parses a part that begins at a position, by our own parser if it has escaped keys (json.ts). */
  #parse(part: string, start: number, end = ''): unknown {
    try {
      if (!hasEscapedKey(part)) return JSON.parse(part + end);
      const reader = new JsonReader(part + end);
      const value = reader.read();
      this.#count({ escapedKeys: reader.escapedKeys }, start);
      return value;
    } catch (error) {
      if (error instanceof JsonTooLarge || !(error instanceof SyntaxError)) throw error;
      return this.unexpected(start + findError(part));
    }
  }

  /**
   * Finds the end of the values from `start` on, and counts them: before the first comma after `minEnd`, or the bracket or brace that follows them.
   * Also before a bracket or brace that follows a value, as none may. Undefined for a single value that is longer than a part and has members.
   */
  #findEnd(start: number, minEnd: number): number | undefined {
    const { text } = this;
    const { length } = text;
    const maxEnd = start + this.#partLength;
    let depth = 0;
    let deepest = 0;
    let containers = 0;
    let keys = 0;
    let values = 0;
    /** Whether a value has ended, or a scalar begun, since the last comma. */
    let hasValue = false;
    /** The last comma between two values, and what was found before it. */
    let cut = start;
    let containersBefore = 0;
    let keysBefore = 0;
    let valuesBefore = 0;
    let at = start;
    for (; at < length; at++) {
      const next = text.charCodeAt(at);
      if (next === quote) {
        at = endOfString(text, at) - 1;
        hasValue ||= depth === 0;
      } else if (next === openBracket || next === openBrace) {
        if (hasValue && depth === 0) break;
        containers++;
        if (++depth > deepest) {
          deepest = depth;
          if (this.containers.length + depth > this.#maxNesting) {
            throw new JsonTooLarge(at, `nested deeper than ${this.#maxNesting} levels`);
          }
        }
      } else if (next === closeBracket || next === closeBrace) {
        if (--depth < 0) break;
        hasValue ||= depth === 0;
      } else if (next === colon) {
        keys++;
        hasValue ||= depth === 0;
      } else if (next === comma) {
        values++;
        if (depth === 0) {
          if (at >= minEnd) break;
          hasValue = false;
          cut = at;
          containersBefore = containers;
          keysBefore = keys;
          valuesBefore = values;
        }
      } else if (depth === 0 && !isJsonSpace(next)) hasValue = true;
      if (depth > 0 && at > maxEnd) {
        if (cut === start) return undefined;
        this.#count({ containers: containersBefore, keys: keysBefore, values: valuesBefore }, cut);
        return cut;
      }
    }
    this.#count({ containers, keys, values }, at);
    return Math.min(at, length);
  }
}

/** The position of the first error in a text; its end if it has none. */
function findError(text: string): number {
  try {
    new JsonReader(text).read();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.at;
    throw error;
  }
  return text.length;
}
