import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Pool } from 'pg';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { Replicas } from '../database/replicas.ts';
import type { EventFeed } from '../events/feed.ts';
import type { LogStatus } from '../events/retention.ts';
import type { FairQueue } from '../scheduling/fair-queue.ts';
import type { WebhookStatus } from '../webhooks/worker.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface MetricSources {
  readonly pool: Pick<Pool, 'idleCount' | 'totalCount' | 'waitingCount'>;
  /** Sessions of the database that were abandoned, and have not ended. */
  readonly abandoned: () => number;
  /** Queues in which the requests of each key take turns, by name. */
  readonly shares: Readonly<Record<string, Pick<FairQueue, 'counts'>>>;
  readonly cache: Pick<ResponseCache, 'hits' | 'misses' | 'bytes'>;
  readonly replicas: Pick<Replicas, 'list' | 'reads'> | undefined;
  readonly feed: Pick<EventFeed, 'isConnected' | 'behindSeconds' | 'eventsRead'>;
}

/** Creates the metrics of this process, which `/metrics` exposes. */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const create = createFactory([registry]);
  collectDefaultMetrics({ register: registry });
  const errorsHelp = 'Requests that failed because the database was unavailable';
  const databaseErrors = create.counter('carte_database_errors_total', errorsHelp);
  const replacements = create.histogram('carte_menu_replace_duration_seconds', 'Replacements of menu configurations');
  watchSources(sources, create);
  return {
    databaseError: () => databaseErrors.inc(),
    menuReplaced: (seconds: number) => replacements.observe(seconds),
    ...createRequestMetrics(create),
    ...createStreamMetrics(create),
    ...createLogMetrics(create),
    ...createWebhookMetrics(create),
    ...createEdgeMetrics(create),
    registry,
  };
}

type Factory = ReturnType<typeof createFactory>;

/** A value, or one for each combination of the labels. */
type Values = number | readonly (readonly [labels: Readonly<Record<string, string | number>>, value: number])[];

/** Creates the functions that register a metric. */
function createFactory(registers: Registry[]) {
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, labelNames: string[] = []) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, labelNames: string[] = []) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
    /** Its values are read when they are collected. */
    watch(
      Metric: typeof Counter | typeof Gauge,
      name: string,
      help: string,
      labelNames: string[],
      read: () => Values,
    ): void {
      const metric: Counter | Gauge = new Metric({
        name,
        help,
        labelNames,
        registers,
        collect() {
          metric.reset();
          const values = read();
          for (const [labels, value] of typeof values === 'number' ? [[{}, values] as const] : values) {
            metric.inc(labels, value);
          }
        },
      });
    },
  };
}

/** Metrics whose values are read when they are collected. */
function watchSources({ pool, abandoned, shares, cache, replicas, feed }: MetricSources, { watch }: Factory): void {
  watch(Gauge, 'carte_database_connections', 'Connections to the database', ['state'], () => [
    [{ state: 'idle' }, pool.idleCount],
    [{ state: 'used' }, pool.totalCount - pool.idleCount],
  ]);
  const { connections, expensiveConnections, guests_connections, guests_writes, writes } = shares;
  const ofDatabase = [connections, expensiveConnections, guests_connections, guests_writes, writes];
  watch(Gauge, 'carte_database_waiting', 'Statements that wait for a connection', [], () =>
    ofDatabase.reduce((sum, queue) => sum + (queue?.counts.waiting ?? 0), pool.waitingCount),
  );
  const abandonedHelp =
    'Sessions that go on in the database after the service has given them up: mostly commits that wait for a synchronous standby';
  watch(Gauge, 'carte_database_abandoned_sessions', abandonedHelp, [], abandoned);
  const queues = Object.entries(shares);
  const tasksHelp =
    'What keys share, e.g. requests, large bodies and connections to the database, in use or waited for';
  watch(Gauge, 'carte_share_tasks', tasksHelp, ['share', 'state'], () =>
    queues.flatMap(([share, { counts }]) => [
      [{ share, state: 'running' }, counts.running] as const,
      [{ share, state: 'waiting' }, counts.waiting] as const,
    ]),
  );
  const rejectedHelp = 'Tasks of a key that waited for too long, or for which too many waited already';
  watch(Counter, 'carte_share_rejected_total', rejectedHelp, ['share'], () =>
    queues.map(([share, { counts }]) => [{ share }, counts.rejected]),
  );
  watch(Counter, 'carte_response_cache_lookups_total', 'Lookups in the response cache', ['outcome'], () => [
    [{ outcome: 'hit' }, cache.hits],
    [{ outcome: 'miss' }, cache.misses],
  ]);
  watch(Gauge, 'carte_response_cache_bytes', 'Size of the response cache', [], () => cache.bytes);
  if (replicas) watchReplicas(replicas, watch);
  const readHelp = 'Events that the process has read from the event log for its streams';
  watch(Counter, 'carte_events_read_total', readHelp, [], () => feed.eventsRead);
  const connectedHelp = 'Whether the connection that moves events into the log and reads them is open';
  watch(Gauge, 'carte_event_feed_connected', connectedHelp, [], () => (feed.isConnected ? 1 : 0));
  const behindHelp = 'Time since all committed events were in the log and the process had read what it needs of them';
  watch(Gauge, 'carte_event_feed_behind_seconds', behindHelp, [], () => feed.behindSeconds);
}

function watchReplicas({ list, reads }: NonNullable<MetricSources['replicas']>, watch: Factory['watch']): void {
  const readsHelp = 'Reads by the server that executed them, or by why the primary did';
  watch(Counter, 'carte_database_reads_total', readsHelp, ['target'], () =>
    Object.entries(reads).map(([target, times]) => [{ target }, times]),
  );
  const usableHelp = 'Whether a read replica is in use, by its position in DATABASE_REPLICA_URLS';
  watch(Gauge, 'carte_replica_usable', usableHelp, ['replica'], () =>
    list.map(({ isUsable }, index) => [{ replica: index + 1 }, isUsable ? 1 : 0]),
  );
  const behindHelp = 'For how long a read replica has not reached the position that a read required';
  watch(Gauge, 'carte_replica_behind_seconds', behindHelp, ['replica'], () =>
    list.map(({ behindSeconds }, index) => [{ replica: index + 1 }, behindSeconds]),
  );
}

/** Clients choose the names of operations, so the number of label values is bounded; guests add none. */
const maxOperationNames = 100;

interface FinishedRequest {
  /** The pattern of the path, never the path itself; undefined where no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  /** Of /graphql; undefined for other routes. */
  readonly operation: string | undefined;
  readonly isOfGuest: boolean;
}

function createRequestMetrics({ counter, histogram, watch }: Factory) {
  const durationsHelp = 'Requests by route, from their headers to the end of the response';
  const durations = histogram('carte_http_request_duration_seconds', durationsHelp, ['method', 'route', 'status']);
  const operationsHelp = `Requests to /graphql by operation name; after ${maxOperationNames} names all others are "other", and names that only guests send`;
  const operations = histogram('carte_graphql_request_duration_seconds', operationsHelp, ['operation']);
  const publishable = counter('carte_publishable_requests_total', 'Requests with a publishable key', ['status']);
  let inFlight = 0;
  watch(Gauge, 'carte_http_requests_in_flight', 'Requests in progress', [], () => inFlight);
  const names = new Set<string>();
  const boundedName = (operation: string, isOfGuest: boolean) => {
    if (!isOfGuest && names.size < maxOperationNames) names.add(operation);
    return names.has(operation) ? operation : 'other';
  };
  return {
    requestStarted() {
      inFlight += 1;
    },
    requestFinished(method: string, { route = 'none', status, milliseconds, operation, isOfGuest }: FinishedRequest) {
      inFlight -= 1;
      const seconds = milliseconds / 1_000;
      durations.observe({ method, route, status }, seconds);
      if (operation !== undefined) operations.observe({ operation: boundedName(operation, isOfGuest) }, seconds);
      if (isOfGuest) publishable.inc({ status });
    },
  };
}

function createStreamMetrics({ counter, watch }: Factory) {
  const deliveredEvents = counter('carte_stream_events_total', 'Events delivered to streams');
  const endedHelp = 'Streams that have ended, by why; those of slow readers were cut';
  const endedStreams = counter('carte_streams_ended_total', endedHelp, ['transport', 'reason']);
  return {
    eventDelivered: () => deliveredEvents.inc(),
    streamEnded: (transport: string, reason: string) => endedStreams.inc({ transport, reason }),
    /** Open streams, by transport. */
    watchStreams: (counts: Readonly<Record<string, number>>) =>
      watch(Gauge, 'carte_streams_open', 'Open streams of subscriptions', ['transport'], () =>
        Object.entries(counts).map(([transport, count]) => [{ transport }, count]),
      ),
  };
}

/** Of the event log, the same in all processes. */
function createLogMetrics({ gauge }: Factory) {
  const create = (name: string, help: string) => gauge(name, `${help}; the same in all processes`);
  const bytes = create('carte_event_log_bytes', 'Size of the event log in the database');
  const events = create('carte_event_log_events', 'Events in the log, with those that were rolled back');
  const oldest = create('carte_event_log_oldest_seconds', 'Age of the oldest event in the log');
  return {
    logStatus(status: LogStatus) {
      bytes.set(status.bytes);
      events.set(status.events);
      oldest.set(status.oldestSeconds);
    },
  };
}

function createWebhookMetrics({ gauge, histogram }: Factory) {
  const attemptsHelp = 'Attempts to deliver an event to a webhook, by what became of the event';
  const attempts = histogram('carte_webhook_attempt_duration_seconds', attemptsHelp, ['state']);
  const create = (name: string, help: string, labelNames?: string[]) =>
    gauge(name, `${help}; the same in all processes that deliver`, labelNames);
  const webhooks = create('carte_webhooks', 'Webhooks by state', ['state']);
  const lag = create('carte_webhook_lag_seconds', 'Age of the oldest event that an active webhook has not received');
  const lostHelp = 'Events that were deleted from the log before webhooks received them, until they are resumed';
  const lost = create('carte_webhook_lost_events', lostHelp);
  const withoutHelp = 'Active webhooks whose operation the process does not have, so that their events wait';
  const withoutOperation = gauge('carte_webhooks_without_operation', withoutHelp);
  return {
    webhookAttempted: (state: string, seconds: number) => attempts.observe({ state: state.toLowerCase() }, seconds),
    webhookStatus({ active, paused, lagSeconds, lostEvents, withoutOperation: without }: WebhookStatus) {
      webhooks.set({ state: 'active' }, active);
      webhooks.set({ state: 'paused' }, paused);
      lag.set(lagSeconds);
      lost.set(lostEvents);
      withoutOperation.set(without);
    },
  };
}

function createEdgeMetrics({ counter, gauge }: Factory) {
  const purged = counter('carte_edge_purged_tags_total', 'Tags that caches at the edge have purged', ['cache']);
  const lagHelp =
    'Age of the oldest change that a cache at the edge has not purged; 0 in processes that do not purge it';
  const lag = gauge('carte_edge_purge_lag_seconds', lagHelp, ['cache']);
  return {
    edgePurged(cache: string, tags: number, lagSeconds: number) {
      purged.inc({ cache }, tags);
      lag.set({ cache }, lagSeconds);
    },
  };
}

/** Metrics of one process, in a form that can be sent to another. */
export type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Reads the metrics of all processes. */
export type CollectMetrics = () => Promise<readonly Samples[]>;

declare module 'fastify' {
  interface FastifyInstance {
    readonly metrics: ReturnType<typeof createMetrics>;
  }
}

/** Decorates the server with its metrics, and exposes those of this process or, with `collectMetrics`, of all. */
export const metrics = fp(
  async (app: FastifyInstance, { collectMetrics }: { readonly collectMetrics: CollectMetrics | undefined }) => {
    const { pool, replicas, connections, expensiveConnections, writes, abandoned } = app.database;
    const { guestConnections, guestWrites } = app.database;
    const { keys } = app.shares;
    const guests = { ...app.shares.guests, connections: guestConnections, writes: guestWrites };
    const ofGuests = Object.fromEntries(Object.entries(guests).map(([name, queue]) => [`guests_${name}`, queue]));
    const shares = { ...keys, ...ofGuests, connections, expensiveConnections, writes };
    const created = createMetrics({ pool, abandoned, shares, cache: app.responseCache, replicas, feed: app.feed });
    app.decorate('metrics', created);
    if (!app.config.metrics) return;
    const { registry } = created;
    const print = collectMetrics ? async () => aggregate(await collectMetrics()) : () => registry.metrics();
    // Without it, a sum would drop when a process is replaced, which Prometheus takes for a counter reset.
    if (collectMetrics) registry.setDefaultLabels({ process: String(process.pid) });
    app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await print()));
  },
  { name: 'metrics', dependencies: ['database', 'events', 'fair-shares'] },
);

function aggregate(all: readonly Samples[]): Promise<string> {
  // The label `process` makes every sample unique; prom-client's other aggregators would omit some metrics.
  const summed = all.map(samples => samples.map(metric => ({ ...metric, aggregator: 'sum' })));
  return AggregatorRegistry.aggregate(summed).metrics();
}
