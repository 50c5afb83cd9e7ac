import { createMetrics, type MetricSources } from '../../src/server/metrics.ts';

/** Sources of metrics that show nothing. */
const sources: MetricSources = {
  pool: { idleCount: 0, totalCount: 0, waitingCount: 0 },
  abandoned: () => 0,
  shares: {},
  cache: { hits: 0, misses: 0, bytes: 0 },
  replicas: { list: [], reads: { replica: 0, primary: 0, behind: 0, ahead: 0, failed: 0 } },
  feed: { isConnected: true, behindSeconds: 0, eventsRead: 0 },
};

/** Metrics without a server. */
export const metricsAlone = () => createMetrics(sources);
