import { setTimeout as sleep } from 'node:timers/promises';
import { toUnavailable } from './errors.ts';

const minDelayMs = 50;
const maxDelayMs = 2_000;
/** A restart or failover of the database takes less. */
const defaultTimeoutMs = 120_000;

/** Repeats a read while the database is unavailable, with exponential backoff; rejects when it is aborted, and after two minutes or the time given. */
export async function retryWhileUnavailable<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
  timeoutMs = defaultTimeoutMs,
): Promise<T> {
  const startedAt = performance.now();
  for (let delayMs = minDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || !toUnavailable(error) || performance.now() - startedAt > timeoutMs) throw error;
      // With jitter, so that the streams of a process do not all come back at once.
      await sleep(delayMs * (0.5 + Math.random()), undefined, { signal });
    }
  }
}
