import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { clientFactory } from '../database/pool.ts';
import { cacheName, createPurge } from '../edge/purge.ts';
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
  const { urls, againSeconds, seconds } = config.edge;
  const purge = createPurge(config.edge);
  if (!purge) return;
  /** Whether each cache that this process purges takes purges. */
  const states = new Map<string, boolean>();
  const onState = (url: string, takesPurges: boolean, log: () => void) => {
    if (states.get(url) !== takesPurges) log();
    states.set(url, takesPurges);
  };
  const refused =
    `A cache at the edge confirms no purges: guests may see what has changed for ${seconds} s more. Check that it is reachable from here, and that it takes ` +
    'purges from this address and with this secret (deploy/edge/README.md). It is tried again';
  await runPurging(
    {
      urls,
      query: database.primary,
      feed,
      purge,
      againSeconds,
      onPurged(url, { tags, lagSeconds }) {
        const cache = cacheName(url);
        metrics.edgePurged(cache, tags, lagSeconds);
        if (tags > 0) onState(url, true, () => log.info({ cache }, 'A cache at the edge takes purges'));
      },
      onOther(url) {
        metrics.edgePurged(cacheName(url), 0, 0);
        states.delete(url);
      },
      onGap: url =>
        log.warn(
          { cache: cacheName(url) },
          'A cache at the edge is purged of everything: the log has not kept all changes since',
        ),
      onError: (url, error) => onState(url, false, () => log.warn({ cache: cacheName(url), err: error }, refused)),
    },
    signal,
  );
}
