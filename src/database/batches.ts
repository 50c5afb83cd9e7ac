import { setTimeout as sleep } from 'node:timers/promises';
import { retryTransaction } from './query.ts';

export interface BatchOptions {
  readonly size: number;
  readonly onBatch?: (count: number) => void;
  /** How many times as long as each batch took it pauses afterwards. */
  readonly pauses?: number;
  /** Ends it after a batch. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a transaction again and again until it changes fewer rows than a batch has; returns how many all have changed. Pauses after each for at
 * least as long as it took, so that requests get the other half of the database.
 */
export async function runBatches(
  runBatch: () => Promise<number>,
  { size, onBatch, pauses = 1, signal }: BatchOptions,
): Promise<number> {
  let total = 0;
  for (let count = size; count === size && !signal?.aborted; total += count) {
    const started = performance.now();
    count = await retryTransaction(runBatch);
    onBatch?.(count);
    if (count === size) await sleep(pauses * (performance.now() - started), undefined, { signal }).catch(() => {});
  }
  return total;
}
