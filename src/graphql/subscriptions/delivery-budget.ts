import { setTimeout as sleep } from 'node:timers/promises';
import { TooManyRequests } from '@carte/base/errors';
import { LRUCache } from 'lru-cache';
import { upTo } from '../../cache/entries.ts';
import type { Share } from '../../scheduling/current-request.ts';
import { TokenBucket } from '../../scheduling/token-bucket.ts';
import { untilAborted } from '../../scheduling/until-aborted.ts';

export interface DeliveryBudgetOptions {
  /** The cost that the streams of one key, or of all guests, may deliver in a second, and at once. */
  readonly costPerSecond: number;
  /** Counts a request of a key; rejects with `TooManyRequests` beyond the rate limit. Absent without one. */
  readonly countRequest: ((keyId: string) => Promise<void>) | undefined;
}

interface Delivery {
  readonly isReplayed: boolean;
  readonly signal: AbortSignal;
}

interface KeyBudget {
  /** Its own and, of a guest, that of all guests. */
  readonly buckets: readonly TokenBucket[];
  /** Delivered cost that is not yet counted towards the rate limit. */
  uncounted: number;
  /** Pending while the key has exceeded its rate limit. */
  counting: Promise<void> | undefined;
}

/** So much of delivered cost counts as one request. */
const costPerRequest = 1_000;
/** Keys that are accounted for at a time; beyond that, the least recently used one begins anew. */
const maxKeys = 10_000;

/** One guest may deliver so much of what all of them may. */
const guestPart = 1 / 10;

export type DeliveryBudget = ReturnType<typeof createDeliveryBudget>;

/** What the streams of each key, or guest, may deliver, in this process. Who delivers more has to wait, and is not refused. */
export function createDeliveryBudget({ costPerSecond, countRequest }: DeliveryBudgetOptions) {
  const ofGuests = createBucket(costPerSecond);
  const createBuckets = (isGuest: boolean) =>
    isGuest ? [createBucket(costPerSecond * guestPart), ofGuests] : [createBucket(costPerSecond)];
  const budgets = new LRUCache<string, KeyBudget, Share>({
    ...upTo(maxKeys),
    memoMethod: (_id, _stale, { context: { isGuest } }) => {
      return { buckets: createBuckets(isGuest), uncounted: 0, counting: undefined };
    },
  });
  const budgetOf = (share: Share) => budgets.memo(share.id, { context: share });

  return {
    /** Waits until a key may deliver an event. A live one takes its tokens on credit, so that replayed ones wait behind it. */
    async pay(share: Share, cost: number, { isReplayed, signal }: Delivery): Promise<void> {
      const key = budgetOf(share);
      for (const bucket of key.buckets) {
        if (isReplayed) {
          while (!bucket.tryTake(cost)) await wait(bucket.waitMs(cost), signal);
        } else {
          const waitMs = bucket.take(cost);
          if (waitMs > 0) await wait(waitMs, signal);
        }
      }
      // Guests are counted by address.
      if (!countRequest || share.isGuest) return;
      key.uncounted += cost;
      if (key.uncounted < costPerRequest) return;
      key.counting ??= countCost(share.id, key, countRequest).finally(() => {
        key.counting = undefined;
      });
      await untilAborted(signal, key.counting);
    },
    /** Charges what an event has cost beyond what was paid; the next ones wait for it. */
    charge(share: Share, cost: number): void {
      const key = budgetOf(share);
      for (const bucket of key.buckets) bucket.take(cost);
      key.uncounted += cost;
    },
  };
}

async function countCost(keyId: string, key: KeyBudget, countRequest: (keyId: string) => Promise<void>): Promise<void> {
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

const createBucket = (perSecond: number) => new TokenBucket({ burst: perSecond, perSecond });

const wait = (milliseconds: number, signal: AbortSignal) =>
  sleep(Math.ceil(milliseconds), undefined, { signal, ref: false });
