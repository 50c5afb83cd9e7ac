import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { Unavailable } from '../errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Throws `Unavailable` while the event loop or the connection pool is saturated. */
    assertNotOverloaded(): void;
  }
}

/** Sheds load with 503, so that a request that would have to wait for long is rejected at once. */
export async function registerLoadShedding(
  app: FastifyInstance,
  pool: Pick<Pool, 'waitingCount'>,
  { maxWaiting, maxDelayMs }: Config['loadLimits'],
): Promise<void> {
  // Without limits the plugin samples only: its own hook would also reject requests for health and metrics.
  await app.register(underPressure, {});
  app.decorate('assertNotOverloaded', () => {
    const { eventLoopDelay } = app.memoryUsage();
    // The delay is infinite where the event loop has not run for a whole interval, as during the start.
    const isLate = eventLoopDelay > maxDelayMs && eventLoopDelay !== Number.POSITIVE_INFINITY;
    if (!isLate && pool.waitingCount <= maxWaiting) return;
    throw new Unavailable('The service has more to do than it can at the moment.', { retryAfterSeconds: 1 });
  });
}
