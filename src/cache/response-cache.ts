import { LRUCache } from 'lru-cache';
import { compress, type Encoding } from './compression.ts';
import type { DeduplicatedBuffer } from './deduplicated-buffer.ts';

/** An answer as bytes, with its compressed forms as they are first asked for. */
export interface CachedResponse {
  /** What its bytes depend on: the store's revision. */
  readonly revision: string;
  readonly bytes: Buffer;
  /** Of all its forms. */
  readonly size: number;
  encoded(encoding: Encoding): Promise<Buffer>;
}

export interface RenderedResponse {
  readonly revision: string;
  readonly bytes: Buffer;
}

/** An answer that nobody has asked for yet. */
interface PrimedResponse {
  readonly revision: string;
  readonly packed: DeduplicatedBuffer;
  readonly size: number;
}

/**
 * Answers by what was asked for, each for one revision. It is a table of bytes, never of decisions: who may see an answer,
 * and which revision holds, is found out anew for every request before it comes here.
 */
export class ResponseCache {
  readonly #answers: LRUCache<string, CachedResponse | PrimedResponse>;
  readonly #making = new Map<string, Promise<CachedResponse>>();
  hits = 0;
  misses = 0;

  /** With 0 bytes nothing is kept, but what is asked for at once is still made once. */
  constructor(maxBytes: number) {
    this.#answers = new LRUCache({ maxSize: Math.max(1, maxBytes), sizeCalculation: answer => answer.size });
  }

  get bytes(): number {
    return this.#answers.calculatedSize;
  }

  /** The answer to a key at a revision: at once where it is at hand, else when it is made, for all who wait for it. */
  get(key: string, revision: string, make: () => Promise<RenderedResponse>): CachedResponse | Promise<CachedResponse> {
    const kept = this.#answers.get(key);
    if (kept?.revision === revision) {
      this.hits++;
      return 'packed' in kept ? this.#keep(key, { revision, bytes: kept.packed.unpack() }) : kept;
    }
    this.misses++;
    const pendingKey = `${revision} ${key}`;
    const underWay = this.#making.get(pendingKey);
    if (underWay) return underWay;
    const making = make()
      .then(made => this.#keep(key, made))
      .finally(() => this.#making.delete(pendingKey));
    this.#making.set(pendingKey, making);
    return making;
  }

  /** Takes what was made for another reason as the answer to a key, which may never be asked. */
  prime(key: string, revision: string, packed: DeduplicatedBuffer): void {
    // One that is there already may have its compressed forms too.
    if (this.#answers.maxSize <= 1 || this.#answers.peek(key)?.revision === revision) return;
    this.#answers.set(key, { revision, packed, size: packed.size + 1 });
  }

  #keep(key: string, { revision, bytes }: RenderedResponse): CachedResponse {
    const forms = new Map<Encoding, Promise<Buffer>>();
    let size = bytes.length + 1;
    const answer: CachedResponse = {
      revision,
      bytes,
      get size() {
        return size;
      },
      encoded: encoding => {
        let form = forms.get(encoding);
        if (!form) {
          form = compress(bytes, encoding);
          forms.set(encoding, form);
          form.then(
            packed => {
              size += packed.length;
              if (this.#answers.peek(key) === answer) this.#answers.set(key, answer);
            },
            () => forms.delete(encoding),
          );
        }
        return form;
      },
    };
    this.#answers.set(key, answer);
    return answer;
  }
}
