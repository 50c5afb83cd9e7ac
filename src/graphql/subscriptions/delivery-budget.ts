import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../../errors.ts';
import { TokenBucket } from '../../scheduling/token-bucket.ts';
import { untilAborted } from '../../scheduling/until-aborted.ts';

export interface DeliveryBudgetOptions {
  /** The cost that the streams of one key may deliver in a second, and at once. */
  readonly costPerSecond: number;
  /** Counts a request of a key; rejects with `TooManyRequests` beyond the rate limit. Absent without one. */
  readonly countRequest: ((keyId: string) => Promise<void>) | undefined;
}

interface Delivery {
  readonly isReplayed: boolean;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

interface KeyBudget {
  readonly bucket: TokenBucket;
  /** Delivered cost that is not yet counted towards the rate limit. */
  uncounted: number;
  /** Pending while the key has exceeded its rate limit. */
  counting: Promise<void> | undefined;
}

/** So much of delivered cost counts as one request. */
const costPerRequest = 1_000;
/** Keys that are accounted for at a time; beyond that, the least recently used one begins anew. */
const maxKeys = 10_000;

/** What the streams of each key may deliver, in this process. A key that delivers more has to wait; it is not refused. */
export class DeliveryBudget {
  readonly #options: DeliveryBudgetOptions;
  readonly #keys = new LRUCache<string, KeyBudget>({ max: maxKeys });

  constructor(options: DeliveryBudgetOptions) {
    this.#options = options;
  }

  /** Waits until a key may deliver an event. A live one takes its tokens on credit, so that replayed ones wait behind it. */
  async pay(keyId: string, cost: number, { isReplayed, signal }: Delivery): Promise<void> {
    const key = this.#budgetOf(keyId);
    if (isReplayed) {
      while (!key.bucket.tryTake(cost)) await wait(key.bucket.waitMs(cost), signal);
    } else {
      const waitMs = key.bucket.take(cost);
      if (waitMs > 0) await wait(waitMs, signal);
    }
    if (!this.#options.countRequest) return;
    key.uncounted += cost;
    if (key.uncounted < costPerRequest) return;
    key.counting ??= this.#count(keyId, key, this.#options.countRequest).finally(() => {
      key.counting = undefined;
    });
    await untilAborted(signal, key.counting);
  }

  /** Charges what an event has cost beyond what was paid; the next ones wait for it. */
  charge(keyId: string, cost: number): void {
    const key = this.#budgetOf(keyId);
    key.bucket.take(cost);
    key.uncounted += cost;
  }

  async #count(keyId: string, key: KeyBudget, countRequest: (keyId: string) => Promise<void>): Promise<void> {
    while (key.uncounted >= costPerRequest) {
      try {
        await countRequest(keyId);
        key.uncounted -= costPerRequest;
      } catch (error) {
        if (!(error instanceof TooManyRequests)) throw error;
        await sleep(error.retryAfterSeconds * 1_000, undefined, { ref: false });
      }
    }
  }

  #budgetOf(keyId: string): KeyBudget {
    const known = this.#keys.get(keyId);
    if (known) return known;
    const { costPerSecond } = this.#options;
    const bucket = new TokenBucket({ burst: costPerSecond, perSecond: costPerSecond });
    const key: KeyBudget = { bucket, uncounted: 0, counting: undefined };
    this.#keys.set(keyId, key);
    return key;
  }
}

const wait = (milliseconds: number, signal: AbortSignal) =>
  sleep(Math.ceil(milliseconds), undefined, { signal, ref: false });
