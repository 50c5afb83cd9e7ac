/** A piece of JSON: text while it is short, bytes in one or more parts once these are worth copying rather than writing again. */
export type Chunk = string | readonly Buffer[];

/** Long enough that copying its bytes again costs less than writing its text again. */
const worthBytes = 1024;

/** Long enough that it costs less to hand on its parts than to copy them into one. */
const worthParts = 4 * 1024;

/** Puts pieces of JSON together. */
export class Writer {
  #text = '';
  readonly #parts: Buffer[] = [];
  #length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  write(piece: Chunk): void {
    if (typeof piece === 'string') {
      this.#text += piece;
      this.#count(piece.length);
      return;
    }
    this.#flush();
    for (const part of piece) {
      this.#parts.push(part);
      this.#count(part.length);
    }
  }

  piece(): Chunk {
    if (this.#parts.length === 0 && this.#text.length < worthBytes) return this.#text;
    this.#flush();
    const isShort = this.#parts.length > 1 && this.#length < worthParts;
    return isShort ? [Buffer.concat(this.#parts)] : this.#parts;
  }

  #flush(): void {
    if (this.#text !== '') this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > this.#maxBytes) throw new RangeError('The answer is too large to be kept.');
  }
}

export function partsOf(piece: Chunk): readonly Buffer[] {
  return typeof piece === 'string' ? [Buffer.from(piece)] : piece;
}

export function bytesOf(piece: Chunk): Buffer {
  const parts = partsOf(piece);
  const [first] = parts;
  return first && parts.length === 1 ? first : Buffer.concat(parts);
}
