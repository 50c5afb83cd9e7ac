import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { LogStatus } from '../events/retention.ts';
import type { WebhookStatus } from '../webhooks/worker.ts';

export interface FeedState {
  readonly isConnected: boolean;
  readonly behindSeconds: number;
  readonly eventsRead: number;
}

/** Open streams by transport. */
type StreamCounts = Readonly<Record<string, number>>;

interface EventMetricOptions {
  /** Of durations, in seconds. */
  readonly buckets: number[];
  readonly feed: FeedState | undefined;
}

/** Creates the metrics of the event feed, of streams and of webhooks. */
export function createEventMetrics(registers: Registry[], { buckets, feed }: EventMetricOptions) {
  if (feed) watchFeed(feed, registers);
  const deliveredEvents = new Counter({
    name: 'carte_stream_events_total',
    help: 'Events delivered to streams',
    registers,
  });
  const endedStreams = new Counter({
    name: 'carte_streams_ended_total',
    help: 'Streams that have ended, by why; those of slow readers were cut',
    labelNames: ['transport', 'reason'],
    registers,
  });
  return {
    eventDelivered: () => deliveredEvents.inc(),
    streamEnded: (transport: string, reason: string) => endedStreams.inc({ transport, reason }),
    watchStreams: (counts: StreamCounts) => watchStreams(counts, registers),
    ...createLogMetrics(registers),
    ...createWebhookMetrics(registers, buckets),
  };
}

function watchFeed(feed: FeedState, registers: Registry[]): void {
  new Counter({
    name: 'carte_events_read_total',
    help: 'Events that the process has read from the event log for its streams',
    registers,
    collect() {
      this.reset();
      this.inc(feed.eventsRead);
    },
  });
  new Gauge({
    name: 'carte_event_feed_connected',
    help: 'Whether the connection that moves events into the log and reads them is open',
    registers,
    collect() {
      this.set(feed.isConnected ? 1 : 0);
    },
  });
  new Gauge({
    name: 'carte_event_feed_behind_seconds',
    help: 'Time since all committed events were in the log and the process had read what it needs of them',
    registers,
    collect() {
      this.set(feed.behindSeconds);
    },
  });
}

function createLogMetrics(registers: Registry[]) {
  const bytes = new Gauge({
    name: 'carte_event_log_bytes',
    help: 'Size of the event log in the database; the same in all processes',
    registers,
  });
  const events = new Gauge({
    name: 'carte_event_log_events',
    help: 'Events in the log, with those that were rolled back; the same in all processes',
    registers,
  });
  const oldest = new Gauge({
    name: 'carte_event_log_oldest_seconds',
    help: 'Age of the oldest event that is kept; the same in all processes',
    registers,
  });
  return {
    logStatus(status: LogStatus) {
      bytes.set(status.bytes);
      events.set(status.events);
      oldest.set(status.oldestSeconds);
    },
  };
}

function watchStreams(counts: StreamCounts, registers: Registry[]): void {
  new Gauge({
    name: 'carte_streams_open',
    help: 'Open streams of subscriptions',
    labelNames: ['transport'],
    registers,
    collect() {
      for (const [transport, count] of Object.entries(counts)) this.set({ transport }, count);
    },
  });
}

function createWebhookMetrics(registers: Registry[], buckets: number[]) {
  const attempts = new Histogram({
    name: 'carte_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver an event to a webhook, by what became of the event',
    labelNames: ['state'],
    buckets,
    registers,
  });
  const webhooks = new Gauge({
    name: 'carte_webhooks',
    help: 'Webhooks by state; the same in all processes that deliver',
    labelNames: ['state'],
    registers,
  });
  const lag = new Gauge({
    name: 'carte_webhook_lag_seconds',
    help: 'Age of the oldest event that an active webhook has not received; the same in all processes that deliver',
    registers,
  });
  const lost = new Gauge({
    name: 'carte_webhook_lost_events',
    help: 'Events that were deleted from the log before webhooks received them, until they are resumed; the same in all processes that deliver',
    registers,
  });
  return {
    webhookAttempted: (state: string, seconds: number) => attempts.observe({ state: state.toLowerCase() }, seconds),
    webhookStatus({ active, paused, lagSeconds, lostEvents }: WebhookStatus) {
      webhooks.set({ state: 'active' }, active);
      webhooks.set({ state: 'paused' }, paused);
      lag.set(lagSeconds);
      lost.set(lostEvents);
    },
  };
}
