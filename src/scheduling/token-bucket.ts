import { LRUCache } from 'lru-cache';
import { upTo } from '../cache/entries.ts';

export interface TokenBucketOptions {
  /** Tokens that the full bucket has. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket: it is full at first, and refilled at a constant rate. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledAt = performance.now();

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
  }

  /** Takes tokens if the bucket has them; for more than fit in, it must be full, and is in debt afterwards. */
  tryTake(tokens = 1): boolean {
    if (this.waitMs(tokens) > 0) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** Takes tokens in any case, on credit if there are too few, or gives back a negative number of them; returns the time until the debt is paid. */
  take(tokens: number): number {
    this.#refill();
    this.#tokens -= tokens;
    return Math.max(0, -this.#tokens / this.#perMs);
  }

  /** The time until `tryTake` succeeds if nothing else is taken. */
  waitMs(tokens: number): number {
    this.#refill();
    return Math.max(0, (Math.min(tokens, this.#options.burst) - this.#tokens) / this.#perMs);
  }

  get #perMs(): number {
    return this.#options.perSecond / 1_000;
  }

  #refill(): void {
    const now = performance.now();
    this.#tokens = Math.min(this.#options.burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}

/** Those that are counted at a time; beyond that, the least recently used one begins anew. */
const maxBuckets = 10_000;

/** Buckets for so many in so many seconds, each created when it is first needed: `memo(key)`. */
export const tokenBuckets = (count: number, seconds: number) =>
  new LRUCache<string, TokenBucket>({
    ...upTo(maxBuckets),
    memoMethod: () => new TokenBucket({ burst: count, perSecond: count / seconds }),
  });
