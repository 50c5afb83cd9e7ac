import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pool } from 'pg';
import { Unavailable } from '../errors.ts';

export interface LoadLimits {
  /** Statements that may wait for a connection. */
  readonly waiting: number;
  /** How late the process may be with what it has to do, on average over a second. */
  readonly delayMs: number;
}

export interface LoadShedding {
  /** Throws `Unavailable` while there is more to do than can be done soon. */
  check(): void;
  stop(): void;
}

const nanosecondsPerMs = 1e6;
const period = 1_000;

/** Who comes when the service is behind is told at once to come later, rather than made to wait with all the others. */
export function watchLoad(pool: Pool, { waiting, delayMs }: LoadLimits): LoadShedding {
  const histogram = monitorEventLoopDelay({ resolution: 20 });
  histogram.enable();
  let delay = 0;
  const timer = setInterval(() => {
    delay = histogram.mean / nanosecondsPerMs;
    histogram.reset();
  }, period);
  timer.unref();
  return {
    check() {
      if (pool.waitingCount <= waiting && !(delay > delayMs)) return;
      throw new Unavailable('The service has more to do than it can at the moment.', { retrySeconds: 1 });
    },
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
