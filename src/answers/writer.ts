/** A piece of JSON: text while it is short, bytes once it is worth copying rather than writing again. */
export type Piece = string | Buffer;

/** Long enough that copying its bytes again costs less than writing its text again. */
const worthBytes = 1024;

/** Puts pieces of JSON together. */
export class Writer {
  #text = '';
  readonly #pieces: Buffer[] = [];
  #left: number;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#left = maxBytes;
  }

  write(piece: Piece): void {
    this.#left -= piece.length;
    if (this.#left < 0) throw new RangeError('The answer is too large to be kept.');
    if (typeof piece === 'string') {
      this.#text += piece;
      return;
    }
    this.#flush();
    this.#pieces.push(piece);
  }

  piece(): Piece {
    if (this.#pieces.length === 0 && this.#text.length < worthBytes) return this.#text;
    this.#flush();
    return this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : Buffer.concat(this.#pieces);
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
