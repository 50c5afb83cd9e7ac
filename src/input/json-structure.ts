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

/** More than the largest menu has that can be posted. Each object, and each key that is new to it, costs the parser most of a microsecond. */
const maxCounts: Readonly<Record<JsonCount, readonly [limit: number, noun: string]>> = {
  containers: [300_000, 'objects and lists'],
  keys: [500_000, 'keys'],
  escapedKeys: [200_000, 'keys with escape sequences'],
  values: [1_000_000, 'values'],
};

const countNames = Object.keys(maxCounts) as readonly JsonCount[];

/** Bounds the work for a JSON text while it is read: 10 MiB of brackets or of empty objects would take the parser seconds. */
export class JsonLimits {
  readonly #maxNesting: number;
  readonly #counts: Record<JsonCount, number> = { containers: 0, keys: 0, escapedKeys: 0, values: 0 };

  constructor({ maxNesting }: { readonly maxNesting: number }) {
    this.#maxNesting = maxNesting;
  }

  /** Adds what was found up to a position; throws `JsonTooLarge` beyond a limit. */
  add(found: Partial<Readonly<Record<JsonCount, number>>>, position: number): void {
    for (const name of countNames) {
      const [limit, noun] = maxCounts[name];
      this.#counts[name] += found[name] ?? 0;
      if (this.#counts[name] > limit) {
        throw new JsonTooLarge(position, `larger than ${limit.toLocaleString('en-US')} ${noun}`);
      }
    }
  }

  checkNesting(depth: number, position: number): void {
    if (depth > this.#maxNesting) throw new JsonTooLarge(position, `nested deeper than ${this.#maxNesting} levels`);
  }
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
