import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { clientFactory } from '../database/pool.ts';
import type { Query } from '../database/query.ts';
import { EventFeed } from '../events/feed.ts';
import { runRetention } from '../events/retention.ts';
import type { StreamObserver } from '../graphql/subscriptions/mount.ts';
import type { Metrics } from './metrics.ts';

/** Creates the feed of the process; it is closed with the server. */
export function createFeed(app: FastifyInstance, pool: Pool, config: Config): EventFeed {
  const feed = new EventFeed({
    createClient: clientFactory(pool, config.listenUrl, config),
    onChange({ isConnected, reason }) {
      if (isConnected) app.log.info('The event feed is connected');
      else app.log.warn({ err: reason }, 'The event feed is not connected; streams wait until it is');
    },
    onSilence: () =>
      app.log.warn('Notifications of events do not arrive; if DATABASE_URL is a PgBouncer, set DATABASE_LISTEN_URL'),
  });
  app.addHook('onClose', () => feed.close());
  return feed;
}

/** Deletes events after `CARTE_EVENTS_KEEP_DAYS` while the server runs. */
export function deleteOldEvents(app: FastifyInstance, primary: Query, { eventsKeepDays }: Config): void {
  const closed = new AbortController();
  const onError = (error: unknown) => app.log.warn({ err: error }, 'Old events could not be deleted');
  app.addHook('onReady', async () => void runRetention(primary, { keepDays: eventsKeepDays, onError }, closed.signal));
  app.addHook('onClose', async () => closed.abort());
}

/** Counts streams, and logs each when it ends. */
export function observeStreams(
  app: FastifyInstance,
  metrics: Metrics,
  reportRequest: (request: FastifyRequest) => void,
): StreamObserver {
  return {
    mounted: counts => metrics.watchStreams(counts),
    streaming: reportRequest,
    delivered: metrics.eventDelivered,
    ended({ transport, keyId, field, seconds, events, end }) {
      metrics.streamEnded(transport, end);
      app.log.info({ key: keyId, transport, field, seconds: Math.round(seconds), events, end }, 'stream');
    },
  };
}
