import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Pool } from 'pg';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FairQueue } from '../scheduling/fair-queue.ts';
import { createEventMetrics, type FeedState } from './event-metrics.ts';
import { createRequestMetrics } from './requests.ts';

type PoolCounts = Pick<Pool, 'idleCount' | 'totalCount' | 'waitingCount'>;

/** Queues in which the requests of each key take turns, by name. */
type Shares = Readonly<Record<string, Pick<FairQueue, 'counts'>>>;

export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

export interface ReplicaCounts {
  readonly list: readonly { readonly isUsable: boolean; readonly behindSeconds: number }[];
  readonly reads: Readonly<Record<string, number>>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface MetricSources {
  readonly pool?: PoolCounts;
  /** Sessions of the database that were abandoned, and have not ended. */
  readonly abandoned?: () => number;
  readonly shares?: Shares;
  readonly cache?: CacheCounts;
  readonly replicas?: ReplicaCounts | undefined;
  readonly feed?: FeedState;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of this process, which `/metrics` exposes. */
export function createMetrics({ pool, abandoned, shares, cache, replicas, feed }: MetricSources = {}) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const databaseErrors = new Counter({
    name: 'carte_database_errors_total',
    help: 'Requests that failed because the database was unavailable',
    registers,
  });
  const replacements = new Histogram({
    name: 'carte_menu_replace_duration_seconds',
    help: 'Replacements of menu configurations',
    buckets,
    registers,
  });
  if (pool) watchPool(pool, shares, registers);
  if (abandoned) watchAbandoned(abandoned, registers);
  if (shares) watchShares(shares, registers);
  if (cache) watchCache(cache, registers);
  if (replicas) watchReplicas(replicas, registers);
  return {
    databaseError: () => databaseErrors.inc(),
    menuReplaced: (seconds: number) => replacements.observe(seconds),
    ...createRequestMetrics(registers, buckets),
    ...createEventMetrics(registers, { buckets, feed }),
    registry,
  };
}

function watchPool(pool: PoolCounts, shares: Shares | undefined, registers: Registry[]): void {
  new Gauge({
    name: 'carte_database_connections',
    help: 'Connections to the database',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
    },
  });
  new Gauge({
    name: 'carte_database_waiting',
    help: 'Statements that wait for a connection',
    registers,
    collect() {
      const queues = [shares?.connections, shares?.expensiveConnections, shares?.writes];
      this.set(queues.reduce((sum, queue) => sum + (queue?.counts.waiting ?? 0), pool.waitingCount));
    },
  });
}

function watchAbandoned(abandoned: () => number, registers: Registry[]): void {
  new Gauge({
    name: 'carte_database_abandoned_sessions',
    help: 'Sessions that go on in the database after the service has given them up: mostly commits that wait for a synchronous standby',
    registers,
    collect() {
      this.set(abandoned());
    },
  });
}

function watchShares(shares: Shares, registers: Registry[]): void {
  const queues = Object.entries(shares);
  new Gauge({
    name: 'carte_share_tasks',
    help: 'What keys share, e.g. requests, large bodies and connections to the database, in use or waited for',
    labelNames: ['share', 'state'],
    registers,
    collect() {
      for (const [share, { counts }] of queues) {
        this.set({ share, state: 'running' }, counts.running);
        this.set({ share, state: 'waiting' }, counts.waiting);
      }
    },
  });
  new Counter({
    name: 'carte_share_rejected_total',
    help: 'Tasks of a key that waited for too long, or for which too many waited already',
    labelNames: ['share'],
    registers,
    collect() {
      this.reset();
      for (const [share, { counts }] of queues) this.inc({ share }, counts.rejected);
    },
  });
}

function watchCache(cache: CacheCounts, registers: Registry[]): void {
  new Counter({
    name: 'carte_response_cache_lookups_total',
    help: 'Lookups in the response cache',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'hit' }, cache.hits);
      this.inc({ outcome: 'miss' }, cache.misses);
    },
  });
  new Gauge({
    name: 'carte_response_cache_bytes',
    help: 'Size of the response cache',
    registers,
    collect() {
      this.set(cache.bytes);
    },
  });
}

function watchReplicas({ list, reads }: ReplicaCounts, registers: Registry[]): void {
  new Counter({
    name: 'carte_database_reads_total',
    help: 'Reads by the server that executed them, or by why the primary did',
    labelNames: ['target'],
    registers,
    collect() {
      this.reset();
      for (const [target, times] of Object.entries(reads)) this.inc({ target }, times);
    },
  });
  new Gauge({
    name: 'carte_replica_usable',
    help: 'Whether a read replica is in use, by its position in DATABASE_REPLICA_URLS',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const [index, { isUsable }] of list.entries()) this.set({ replica: index + 1 }, isUsable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'carte_replica_behind_seconds',
    help: 'For how long a read replica has not reached the position that a read required',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const [index, { behindSeconds }] of list.entries()) this.set({ replica: index + 1 }, behindSeconds);
    },
  });
}

type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Metrics of one process, in a form that can be sent to another. */
export interface ProcessMetrics {
  readonly pid: number;
  readonly samples: Samples;
}

/** Takes a function that reads the metrics of this process, and returns one that reads those of all processes. */
export type CollectMetrics = (own: () => Promise<Samples>) => () => Promise<readonly ProcessMetrics[]>;

declare module 'fastify' {
  interface FastifyInstance {
    readonly metrics: Metrics;
  }
}

interface MetricsOptions {
  readonly collectMetrics: CollectMetrics | undefined;
}

/** Decorates the server with its metrics, and exposes those of this process or, with `collectMetrics`, of all. */
export const metrics = fp(
  async (app: FastifyInstance, { collectMetrics }: MetricsOptions) => {
    const { pool, replicas, connections, expensiveConnections, writes, abandoned } = app.database;
    const shares = { ...app.shares, connections, expensiveConnections, writes };
    const created = createMetrics({ pool, abandoned, shares, cache: app.responseCache, replicas, feed: app.feed });
    app.decorate('metrics', created);
    if (app.config.metrics) mountMetrics(app, created, collectMetrics);
  },
  { name: 'metrics', dependencies: ['database', 'events', 'fair-shares', 'response-cache'] },
);

function mountMetrics(app: FastifyInstance, { registry }: Metrics, collect: CollectMetrics | undefined): void {
  const collectAll = collect?.(() => registry.getMetricsAsJSON());
  const print = collectAll ? async () => aggregate(await collectAll()) : () => registry.metrics();
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await print()));
}

/**
 * Prints the metrics of all processes with the label `process`: a sum would drop when a process is replaced, which
 * Prometheus takes for a counter reset.
 */
function aggregate(all: readonly ProcessMetrics[]): Promise<string> {
  const labelled = all.map(({ pid, samples }) =>
    samples.map(metric => ({
      ...metric,
      // The label makes every sample unique; prom-client's other aggregators would omit some metrics.
      aggregator: 'sum',
      values: metric.values.map(value => ({ ...value, labels: { ...value.labels, process: String(pid) } })),
    })),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
}
