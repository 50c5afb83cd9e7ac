import { runInSlices } from '@carte/base/time-slice';
import { compress, compressInTurn, type Encoding } from '@carte/operations/http/compression';
import type * as operations from '@carte/operations/http/response-cache';
import type { CachedResponse, CompactBody, RenderedResponse } from '@carte/operations/http/response-cache';
import { currentShare, runShared, type Share } from '../scheduling/current-request.ts';
import { FairCache } from './fair-cache.ts';

/** An entry that no request has read yet. */
interface PrimedResponse {
  readonly revision: string;
  readonly compact: CompactBody;
  readonly size: number;
}

/** In characters of keys and revisions. */
const maxObservedSize = 4 * 1024 * 1024;

/** What an observed revision takes beside its characters. */
const observedSize = 300;

/**
 * A cache of response bodies by cache key, one revision each. It stores bytes, never decisions about access: every request is authorized and
 * its current revision read before the lookup. An entry belongs to the caller who had it rendered.
 */
export class ResponseCache implements operations.ResponseCache {
  readonly #maxBytes: number;
  readonly #responses: FairCache<CachedResponse | PrimedResponse>;
  /** The revisions of the last responses. */
  readonly #observed = new FairCache<{ readonly revision: string; readonly size: number }>(maxObservedSize);
  /** Renderings that have begun. Those of guests are apart, since they give way to others. */
  readonly #pending = new Map<string, Promise<CachedResponse>>();
  hits = 0;
  misses = 0;

  /** With 0 bytes nothing is cached, but concurrent misses of one key still share a render. */
  constructor(maxBytes: number) {
    this.#maxBytes = Math.max(1, maxBytes);
    this.#responses = new FairCache(this.#maxBytes);
  }

  get bytes(): number {
    return this.#responses.size;
  }

  has(key: string): boolean {
    return this.#responses.peek(key) !== undefined;
  }

  observe(key: string, revision: string): boolean {
    const known = this.#responses.peek(key) ?? this.#observed.get(key);
    if (known?.revision === revision) return true;
    this.#observed.set(key, { revision, size: revision.length + observedSize }, currentShare());
    this.#responses.delete(key);
    return false;
  }

  /**
   * Returns a hit synchronously, but for a large one that no request has read yet. A miss waits by `run` for the turn of its own caller, and is then
   * rendered, unless another caller has begun to: they share the work, but not their places in the queue.
   */
  get(
    key: string,
    revision: string,
    render: () => Promise<RenderedResponse>,
    run: <T>(task: () => Promise<T>) => Promise<T> = task => task(),
  ): CachedResponse | Promise<CachedResponse> {
    const hit = this.#find(key, revision);
    if (hit) {
      this.hits++;
      return hit;
    }
    this.misses++;
    const share = currentShare();
    const find = () => this.#find(key, revision) ?? this.#findPending(key, revision, share);
    return (
      this.#findPending(key, revision, share) ??
      run(async () => find() ?? this.#await(key, revision, runShared(render), share))
    );
  }

  #find(key: string, revision: string): CachedResponse | Promise<CachedResponse> | undefined {
    const entry = this.#responses.get(key);
    if (entry?.revision !== revision) return undefined;
    return 'compact' in entry ? this.#restore(key, entry) : entry;
  }

  #findPending(key: string, revision: string, { isGuest }: Share): Promise<CachedResponse> | undefined {
    const pending = this.#pending.get(`${revision} ${key}`);
    return pending ?? (isGuest ? this.#pending.get(`guests ${revision} ${key}`) : undefined);
  }

  /** Replaces a primed entry by its bytes: at once, unless they are many. */
  #restore(key: string, { revision, compact }: PrimedResponse): CachedResponse | Promise<CachedResponse> {
    const share = currentShare();
    const pending = this.#findPending(key, revision, share);
    if (pending) return pending;
    const bytes = runInSlices(compact.toBuffer());
    if (!(bytes instanceof Promise)) return this.#set(key, { revision, bytes }, share);
    const restored = bytes.then(whole => ({ revision, bytes: whole }));
    return this.#await(key, revision, restored, share);
  }

  #await(key: string, revision: string, rendering: Promise<RenderedResponse>, share: Share): Promise<CachedResponse> {
    const pendingKey = `${share.isGuest ? 'guests ' : ''}${revision} ${key}`;
    const response = rendering
      .then(rendered => this.#set(key, rendered, share))
      .finally(() => this.#pending.delete(pendingKey));
    this.#pending.set(pendingKey, response);
    return response;
  }

  /** Primes an entry, compact until it is first read. */
  prime(key: string, revision: string, compact: CompactBody): void {
    // An entry of the same revision stays: it may be compressed already.
    if (this.#maxBytes <= 1 || this.#responses.peek(key)?.revision === revision) return;
    this.#responses.set(key, { revision, compact, size: compact.size + 1 }, currentShare());
  }

  #set(key: string, { revision, bytes }: RenderedResponse, share: Share): CachedResponse {
    const compressed = new Map<Encoding, Promise<Buffer>>();
    let size = bytes.length + 1;
    const begin = (encoding: Encoding) => {
      const pending = compress(bytes, encoding, 'kept');
      compressed.set(encoding, pending);
      pending.then(
        encoded => {
          size += encoded.length;
          if (this.#responses.peek(key) === entry) this.#responses.set(key, entry, share);
        },
        () => compressed.delete(encoding),
      );
      return pending;
    };
    const entry: CachedResponse = {
      revision,
      bytes,
      get size() {
        return size;
      },
      encoded: (encoding, run) =>
        compressed.get(encoding) ?? compressInTurn(bytes, run, () => compressed.get(encoding) ?? begin(encoding)),
    };
    this.#responses.set(key, entry, share);
    return entry;
  }
}
