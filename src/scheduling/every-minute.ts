import { setTimeout as sleep } from 'node:timers/promises';

const intervalMs = 60_000;
/** Off the path of the startup. */
const startDelayMs = 1_000;

/** Runs a task of the background again and again until it is aborted. An error does not end it. */
export async function runEveryMinute(
  task: () => Promise<unknown>,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let delayMs = startDelayMs; !signal.aborted; delayMs = intervalMs) {
    // At random, so that processes which were started together take turns.
    await sleep(delayMs * (0.5 + Math.random()), undefined, { ref: false, signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      await task();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }
}
