import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { Unavailable } from '../errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Throws `Unavailable` while the event loop or the connection pool is saturated: first for requests without a valid key, and for keys with
     * more requests under way than their share.
     */
    assertNotOverloaded(keyId: string | undefined): void;
    isOverloaded(): boolean;
  }
}

/** From so many times a limit on, load is shed for every key. */
const severity = 4;

/** Sheds load with 503, so that a request that would have to wait for long is rejected at once. */
export const loadShedding = fp(
  async (app: FastifyInstance) => {
    const { maxWaiting, maxDelayMs } = app.config.loadLimits;
    const { pool, connections, writes } = app.database;
    const { requests } = app.shares;
    // Without limits the plugin samples only: its own hook would also reject requests for health and metrics.
    await app.register(underPressure, {});
    const isOverloaded = (times = 1) => {
      const { eventLoopDelay } = app.memoryUsage();
      // The delay is infinite where the event loop has not run for a whole interval, as during the start.
      const isLate = eventLoopDelay > maxDelayMs * times && eventLoopDelay !== Number.POSITIVE_INFINITY;
      // Keys are looked up outside of the shares.
      const queues = [connections, writes, requests];
      const waiting = queues.reduce((sum, { counts }) => sum + counts.waiting, pool.waitingCount);
      return isLate || waiting > maxWaiting * times;
    };
    app.decorate('isOverloaded', () => isOverloaded());
    app.decorate('assertNotOverloaded', keyId => {
      if (!isOverloaded()) return;
      if (keyId !== undefined && !requests.exceedsShare(keyId) && !isOverloaded(severity)) return;
      throw new Unavailable('The service has more to do than it can at the moment.', { retryAfterSeconds: 1 });
    });
  },
  { name: 'load-shedding', dependencies: ['database', 'fair-shares'] },
);
