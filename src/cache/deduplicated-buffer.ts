import { type Chunk, partsOf } from './writer.ts';

/** A piece with each of its parts held once, however often it stands there: some sixth of a tree of menus. */
export class DeduplicatedBuffer {
  readonly #parts: Buffer;
  /** Where in the parts each stretch of the piece begins and ends. */
  readonly #stretches: Uint32Array;
  /** In bytes, unpacked. */
  readonly length: number;

  constructor(piece: Chunk) {
    const begins = new Map<Buffer, number>();
    const stretches: number[] = [];
    let packed = 0;
    let length = 0;
    for (const part of partsOf(piece)) {
      const known = begins.get(part);
      const begin = known ?? packed;
      if (known === undefined) {
        begins.set(part, begin);
        packed += part.length;
      }
      // What follows on from the part before it is one stretch with it.
      if (stretches.at(-1) === begin) stretches.pop();
      else stretches.push(begin);
      stretches.push(begin + part.length);
      length += part.length;
    }
    this.#parts = Buffer.concat([...begins.keys()]);
    this.#stretches = Uint32Array.from(stretches);
    this.length = length;
  }

  /** What it takes in memory. */
  get size(): number {
    return this.#parts.length + this.#stretches.byteLength;
  }

  unpack(): Buffer {
    const [whole = Buffer.alloc(0)] = this.chunks(this.length);
    return whole;
  }

  /** The same bytes a little at a time, for whoever sends them on and need not hold them all. */
  *chunks(size = 64 * 1024): Generator<Buffer> {
    let chunk = Buffer.allocUnsafeSlow(size);
    let written = 0;
    for (let at = 0; at < this.#stretches.length; at += 2) {
      let from = this.#stretches[at] ?? 0;
      const to = this.#stretches[at + 1] ?? 0;
      while (from < to) {
        const copied = this.#parts.copy(chunk, written, from, to);
        from += copied;
        written += copied;
        if (written < size) continue;
        yield chunk;
        chunk = Buffer.allocUnsafeSlow(size);
        written = 0;
      }
    }
    if (written > 0) yield chunk.subarray(0, written);
  }
}
