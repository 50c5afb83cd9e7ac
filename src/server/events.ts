import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { clientFactory } from '../database/pool.ts';
import { runDueTimes } from '../events/due-times.ts';
import { EventFeed } from '../events/feed.ts';
import { type RetentionOptions, runRetention } from '../events/retention.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The events of the process, for its streams and webhooks. */
    readonly feed: EventFeed;
  }
}

/** Decorates the server with the feed of events, which it closes, and deletes old events while it runs. */
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
    app.addHook('onReady', async () => feed.start());
    app.addHook('onClose', () => feed.close());
    app.decorate('feed', feed);
    const closed = new AbortController();
    const options: RetentionOptions = {
      retention: config.keepEvents,
      // The metrics are created later, since they show the feed.
      onStatus: status => app.metrics.logStatus(status),
      onError: error => app.log.warn({ err: error }, 'Old events could not be deleted'),
    };
    app.addHook('onReady', async () => void runRetention(database.primary, options, closed.signal));
    app.addHook('onClose', async () => closed.abort());
  },
  { name: 'events', dependencies: ['database'] },
);

/** Ends pauses and the like at the time that was set, while the server runs. */
export const dueTimes = fp(
  async (app: FastifyInstance) => {
    const closed = new AbortController();
    let running: Promise<void> | undefined;
    const onError = (error: unknown) =>
      app.log.warn({ err: error }, 'What is due could not be ended; it is tried again');
    app.addHook('onReady', async () => {
      running = runDueTimes(app.database.orm, { onError }, closed.signal);
    });
    app.addHook('onClose', async () => {
      closed.abort();
      await running;
    });
  },
  { name: 'due-times', dependencies: ['database'] },
);
