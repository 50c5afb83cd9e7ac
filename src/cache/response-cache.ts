import { LRUCache } from 'lru-cache';
import { runInSlices, type Steps } from '../scheduling/time-slice.ts';
import { compress, type Encoding } from './compression.ts';

/** A response body, compressed once per encoding on first use. */
export interface CachedResponse {
  /** The revision of the store that the body shows. */
  readonly revision: string;
  readonly bytes: Buffer;
  /** Of all representations, in bytes. */
  readonly size: number;
  encoded(encoding: Encoding): Promise<Buffer>;
}

export interface RenderedResponse {
  readonly revision: string;
  readonly bytes: Buffer;
}

/** A body in a form that takes less memory than its bytes. */
interface CompactBody {
  /** Memory that it takes, in bytes. */
  readonly size: number;
  toBuffer(): Steps<Buffer>;
}

/** An entry that no request has read yet. */
interface PrimedResponse {
  readonly revision: string;
  readonly compact: CompactBody;
  readonly size: number;
}

/**
 * An LRU cache of response bodies by cache key, one revision each. It stores bytes, never decisions about access: every request is
 * authorized and its current revision read before the lookup.
 */
export class ResponseCache {
  readonly #entries: LRUCache<string, CachedResponse | PrimedResponse>;
  readonly #pending = new Map<string, Promise<CachedResponse>>();
  hits = 0;
  misses = 0;

  /** With 0 bytes nothing is cached, but concurrent misses of one key still share a render. */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: Math.max(1, maxBytes), sizeCalculation: entry => entry.size });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** Returns a hit synchronously, but for a large one that no request has read yet; concurrent misses of one key and revision share one `render`. */
  get(
    key: string,
    revision: string,
    render: () => Promise<RenderedResponse>,
  ): CachedResponse | Promise<CachedResponse> {
    const entry = this.#entries.get(key);
    if (entry?.revision === revision) {
      this.hits++;
      return 'compact' in entry ? this.#restore(key, entry) : entry;
    }
    this.misses++;
    return this.#pending.get(`${revision} ${key}`) ?? this.#await(key, revision, render());
  }

  /** Replaces a primed entry by its bytes: at once, unless they are many. */
  #restore(key: string, { revision, compact }: PrimedResponse): CachedResponse | Promise<CachedResponse> {
    const pending = this.#pending.get(`${revision} ${key}`);
    if (pending) return pending;
    const bytes = runInSlices(compact.toBuffer());
    if (!(bytes instanceof Promise)) return this.#set(key, { revision, bytes });
    return this.#await(
      key,
      revision,
      bytes.then(restored => ({ revision, bytes: restored })),
    );
  }

  #await(key: string, revision: string, rendering: Promise<RenderedResponse>): Promise<CachedResponse> {
    const pendingKey = `${revision} ${key}`;
    const response = rendering
      .then(rendered => this.#set(key, rendered))
      .finally(() => this.#pending.delete(pendingKey));
    this.#pending.set(pendingKey, response);
    return response;
  }

  /** Primes an entry, compact until it is first read. */
  prime(key: string, revision: string, compact: CompactBody): void {
    // An entry of the same revision stays: it may be compressed already.
    if (this.#entries.maxSize <= 1 || this.#entries.peek(key)?.revision === revision) return;
    this.#entries.set(key, { revision, compact, size: compact.size + 1 });
  }

  #set(key: string, { revision, bytes }: RenderedResponse): CachedResponse {
    const compressed = new Map<Encoding, Promise<Buffer>>();
    let size = bytes.length + 1;
    const entry: CachedResponse = {
      revision,
      bytes,
      get size() {
        return size;
      },
      encoded: encoding => {
        let pending = compressed.get(encoding);
        if (!pending) {
          pending = compress(bytes, encoding);
          compressed.set(encoding, pending);
          pending.then(
            encoded => {
              size += encoded.length;
              if (this.#entries.peek(key) !== entry) return;
              // Deleted first: lru-cache does not measure a value again that it has already.
              this.#entries.delete(key);
              this.#entries.set(key, entry);
            },
            () => compressed.delete(encoding),
          );
        }
        return pending;
      },
    };
    this.#entries.set(key, entry);
    return entry;
  }
}
