import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { clientFactory } from '../database/pool.ts';
import { createPurge } from '../edge/purge.ts';
import { runPurging } from '../edge/worker.ts';
import { runDueTimes } from '../events/due-times.ts';
import { EventFeed } from '../events/feed.ts';
import { type LogStatus, runOrderRetention, runRetention } from '../events/retention.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The events of the process, for its streams and webhooks. */
    readonly feed: EventFeed;
  }
}

/**
 * Decorates the server with the feed of events, which it closes; while it runs, deletes old events, anonymizes and deletes old orders, and ends pauses
 * and the like at the time that was set.
 */
export const events = fp(
  async (app: FastifyInstance) => {
    const { config, database } = app;
    const feed = new EventFeed({
      createClient: clientFactory(database.pool, config.listenUrl, config),
      onChange({ isConnected, reason }) {
        if (isConnected) app.log.info('The event feed is connected');
        else app.log.warn({ err: reason }, 'The event feed is not connected; events wait until it is');
      },
      onMissedNotifications: () =>
        app.log.warn('Notifications of events do not arrive; if DATABASE_URL is a PgBouncer, set DATABASE_LISTEN_URL'),
    });
    app.decorate('feed', feed);
    const closed = new AbortController();
    const warn = (message: string) => (error: unknown) => app.log.warn({ err: error }, message);
    const retention = {
      retention: config.keepEvents,
      // The metrics are created later, since they show the feed.
      onStatus: (status: LogStatus) => app.metrics.logStatus(status),
      onError: warn('Old events could not be deleted'),
    };
    const onError = warn('What is due could not be ended; it is tried again');
    const onOrdersError = warn('Old orders could not be anonymized or deleted; it is tried again');
    let running: Promise<unknown> | undefined;
    app.addHook('onReady', async () => {
      feed.start();
      void runRetention(database.primary, retention, closed.signal);
      running = Promise.all([
        runDueTimes(database.orm, onError, closed.signal),
        purgeCaches(app, closed.signal),
        runOrderRetention(database.orm, config.orderRetention, onOrdersError, closed.signal),
      ]);
    });
    app.addHook('onClose', async () => {
      closed.abort();
      await running;
      await feed.close();
    });
  },
  { name: 'events', dependencies: ['database'] },
);

/** Purges the caches at the edge, if there are any. */
async function purgeCaches(
  { config, database, feed, log, metrics }: FastifyInstance,
  signal: AbortSignal,
): Promise<void> {
  const { urls, againSeconds } = config.edge;
  const purge = createPurge(config.edge);
  if (!purge) return;
  const failing = new Set<string>();
  await runPurging(
    {
      urls,
      query: database.primary,
      feed,
      purge,
      againSeconds,
      onPurged(url, { tags, lagSeconds }) {
        metrics.edgePurged(new URL(url).host, tags, lagSeconds);
        if (lagSeconds === 0 && failing.delete(url))
          log.info({ cache: url }, 'A cache at the edge is purged again, by this process or another');
      },
      onGap: url =>
        log.warn(
          { cache: url },
          'A cache at the edge was purged of everything: the log has not kept all changes since',
        ),
      onError(url, error) {
        if (!failing.has(url))
          log.warn({ cache: url, err: error }, 'A cache at the edge could not be purged; it is tried again');
        failing.add(url);
      },
    },
    signal,
  );
}
