import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type CollectMetrics, type Samples, showWhole } from './metrics/aggregate.ts';

export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the path, never the path itself. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The name of a GraphQL operation; undefined elsewhere. */
  readonly graphqlOperation: string | undefined;
}

type WatchedPool = Pick<Pool, 'idleCount' | 'totalCount' | 'waitingCount'>;

/** What a cache counts by itself. */
export interface WatchedCache {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** What replicas count by themselves. */
export interface WatchedReplicas {
  readonly list: readonly { readonly isUsable: boolean; readonly behindSeconds: number }[];
  readonly reads: Readonly<Record<string, number>>;
}

/** What is counted and timed; `/metrics` shows it. */
export interface Metrics {
  begun(): void;
  answered(request: AnsweredRequest): void;
  databaseError(): void;
  /** A replacement of a menu configuration took so long. */
  replaced(seconds: number): void;
  watchPool(pool: WatchedPool): void;
  watchCache(cache: WatchedCache): void;
  watchReplicas(replicas: WatchedReplicas): void;
  /** In Prometheus' text format. */
  show(): Promise<string>;
  samples(): Promise<Samples>;
  readonly contentType: string;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Callers name their operations as they like, and every name is kept: the first ones by themselves, the rest together. */
const mostOperations = 100;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'carte_http_request_duration_seconds',
    help: 'Requests by route, from their headers to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const operations = new Histogram({
    name: 'carte_graphql_request_duration_seconds',
    help: `Requests to /graphql by the name of their operation; after ${mostOperations} names all others are "other"`,
    labelNames: ['operation'],
    buckets,
    registers,
  });
  let underWay = 0;
  new Gauge({
    name: 'carte_http_requests_in_flight',
    help: 'Requests being answered',
    registers,
    collect() {
      this.set(underWay);
    },
  });
  const errors = new Counter({
    name: 'carte_database_faults_total',
    help: 'Requests that failed because the database did not answer',
    registers,
  });
  const replacements = new Histogram({
    name: 'carte_menu_replace_duration_seconds',
    help: 'Replacements of menu configurations',
    buckets,
    registers,
  });
  const known = new Set<string>();
  const bounded = (name: string) => {
    if (known.size < mostOperations) known.add(name);
    return known.has(name) ? name : 'other';
  };
  return {
    begun() {
      underWay += 1;
    },
    answered({ method, route, status, seconds, graphqlOperation }) {
      underWay -= 1;
      requests.observe({ method, route, status }, seconds);
      if (graphqlOperation !== undefined) operations.observe({ operation: bounded(graphqlOperation) }, seconds);
    },
    databaseError: () => errors.inc(),
    replaced: seconds => replacements.observe(seconds),
    watchPool: pool => watchPool(pool, registers),
    watchCache: cache => watchCache(cache, registers),
    watchReplicas: replicas => watchReplicas(replicas, registers),
    show: () => registry.metrics(),
    samples: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

function watchPool(pool: WatchedPool, registers: Registry[]): void {
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
      this.set(pool.waitingCount);
    },
  });
}

function watchCache(cache: WatchedCache, registers: Registry[]): void {
  new Counter({
    name: 'carte_answer_cache_lookups_total',
    help: 'Answers that were looked for among those kept',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'hit' }, cache.hits);
      this.inc({ outcome: 'miss' }, cache.misses);
    },
  });
  new Gauge({
    name: 'carte_answer_cache_bytes',
    help: 'What the answers kept take',
    registers,
    collect() {
      this.set(cache.bytes);
    },
  });
}

function watchReplicas({ list, reads }: WatchedReplicas, registers: Registry[]): void {
  new Counter({
    name: 'carte_database_reads_total',
    help: 'Statements that only read, by who answered them, or why the primary did',
    labelNames: ['target'],
    registers,
    collect() {
      this.reset();
      for (const [target, times] of Object.entries(reads)) this.inc({ target }, times);
    },
  });
  new Gauge({
    name: 'carte_replica_usable',
    help: 'Whether a read replica is in use, by its place in DATABASE_REPLICA_URLS',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const [index, { isUsable }] of list.entries()) this.set({ replica: index + 1 }, isUsable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'carte_replica_behind_seconds',
    help: 'For how long a read replica has not come as far as was asked of it',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const [index, { behindSeconds }] of list.entries()) this.set({ replica: index + 1 }, behindSeconds);
    },
  });
}

/** Shows what this process has measured or, where there are others, what all of them have. */
export function mountMetrics(app: FastifyInstance, metrics: Metrics, gather?: CollectMetrics): void {
  const gatherAll = gather?.(metrics.samples);
  const show = gatherAll ? async () => showWhole(await gatherAll()) : metrics.show;
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await show()));
}
