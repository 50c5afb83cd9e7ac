import { LRUCache } from 'lru-cache';
import { compress, type Encoding } from './encoding.ts';
import type { Packed } from './packed.ts';

/** An answer as bytes, with its compressed forms as they are first asked for. */
export interface KeptAnswer {
  /** What its bytes depend on: the store's revision. */
  readonly revision: string;
  readonly bytes: Buffer;
  /** Of all its forms. */
  readonly size: number;
  encoded(encoding: Encoding): Promise<Buffer>;
}

export interface Made {
  readonly revision: string;
  readonly bytes: Buffer;
}

/** An answer that nobody has asked for yet. */
interface LeftAnswer {
  readonly revision: string;
  readonly packed: Packed;
  readonly size: number;
}

/**
 * Answers by what was asked for, each for one revision. It is a table of bytes, never of decisions: who may see an answer,
 * and which revision holds, is found out anew for every request before it comes here.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, KeptAnswer | LeftAnswer>;
  readonly #making = new Map<string, Promise<KeptAnswer>>();
  hits = 0;
  misses = 0;

  /** With 0 bytes nothing is kept, but what is asked for at once is still made once. */
  constructor(maxBytes: number) {
    this.#answers = new LRUCache({ maxSize: Math.max(1, maxBytes), sizeCalculation: answer => answer.size });
  }

  get bytes(): number {
    return this.#answers.calculatedSize;
  }

  /** The answer to a question at a revision: at once where it is at hand, else when it is made, for all who wait for it. */
  get(question: string, revision: string, make: () => Promise<Made>): KeptAnswer | Promise<KeptAnswer> {
    const kept = this.#answers.get(question);
    if (kept?.revision === revision) {
      this.hits++;
      return 'packed' in kept ? this.#keep(question, { revision, bytes: kept.packed.unpack() }) : kept;
    }
    this.misses++;
    const key = `${revision} ${question}`;
    const underWay = this.#making.get(key);
    if (underWay) return underWay;
    const making = make()
      .then(made => this.#keep(question, made))
      .finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  /** Takes what was made for another reason as the answer to a question, which may never be asked. */
  leave(question: string, revision: string, packed: Packed): void {
    // One that is there already may have its compressed forms too.
    if (this.#answers.maxSize <= 1 || this.#answers.peek(question)?.revision === revision) return;
    this.#answers.set(question, { revision, packed, size: packed.size + 1 });
  }

  #keep(question: string, { revision, bytes }: Made): KeptAnswer {
    const forms = new Map<Encoding, Promise<Buffer>>();
    let size = bytes.length + 1;
    const answer: KeptAnswer = {
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
              if (this.#answers.peek(question) === answer) this.#answers.set(question, answer);
            },
            () => forms.delete(encoding),
          );
        }
        return form;
      },
    };
    this.#answers.set(question, answer);
    return answer;
  }
}
