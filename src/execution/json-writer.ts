import { isPause, type Steps } from '../scheduling/time-slice.ts';

/** A chunk of JSON: a string while it is short, buffers once copying bytes costs less than encoding the text again. */
export type Chunk = string | readonly Buffer[];

/** From this length on, copying the bytes of a chunk costs less than encoding its text once more. */
const minBufferLength = 1024;

/** From this length on, passing on several buffers costs less than concatenating them. */
const minSplitLength = 4 * 1024;

/** Concatenates chunks of JSON. Throws a RangeError beyond `maxBytes`. */
export class JsonWriter {
  #text = '';
  readonly #buffers: Buffer[] = [];
  #length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  write(chunk: Chunk): void {
    if (typeof chunk === 'string') {
      this.#text += chunk;
      this.#count(chunk.length);
      return;
    }
    this.#flush();
    for (const buffer of chunk) {
      this.#buffers.push(buffer);
      this.#count(buffer.length);
    }
  }

  toChunk(): Chunk {
    if (this.#buffers.length === 0 && this.#text.length < minBufferLength) return this.#text;
    this.#flush();
    const isShort = this.#buffers.length > 1 && this.#length < minSplitLength;
    return isShort ? [Buffer.concat(this.#buffers)] : this.#buffers;
  }

  #flush(): void {
    if (this.#text !== '') this.#buffers.push(Buffer.from(this.#text));
    this.#text = '';
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > this.#maxBytes) throw new RangeError('The response is too large to be cached.');
  }
}

export function toBuffers(chunk: Chunk): readonly Buffer[] {
  return typeof chunk === 'string' ? [Buffer.from(chunk)] : chunk;
}

/** Concatenates buffers as `Buffer.concat` does, which takes some 7 ms for 10 MB. */
export function* concatenate(buffers: Iterable<Buffer>): Steps<Buffer> {
  const all = [...buffers];
  const [first] = all;
  if (first && all.length === 1) return first;
  const content = Buffer.allocUnsafeSlow(all.reduce((length, buffer) => length + buffer.length, 0));
  let length = 0;
  for (const [index, buffer] of all.entries()) {
    length += buffer.copy(content, length);
    if (isPause(index)) yield;
  }
  return content;
}
