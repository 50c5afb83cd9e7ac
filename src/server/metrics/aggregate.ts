import { AggregatorRegistry, type Registry } from 'prom-client';

/** Everything that one process has measured, in a form that can be sent to another. */
export type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Measured {
  readonly pid: number;
  readonly samples: Samples;
}

/** Takes what this process measures, and answers what all processes of the service have measured, this one included. */
export type CollectMetrics = (own: () => Promise<Samples>) => () => Promise<readonly Measured[]>;

/**
 * All processes in Prometheus' text format. Each stays apart, by the label `process`: a sum would fall when one of them is
 * replaced, which Prometheus takes for a restart of all.
 */
export function showWhole(all: readonly Measured[]): Promise<string> {
  return AggregatorRegistry.aggregate(all.map(labelled)).metrics();
}

function labelled({ pid, samples }: Measured): object[] {
  return samples.map(metric => ({
    ...metric,
    // With the label, no two samples meet; any other way of uniting them would leave some metrics out.
    aggregator: 'sum',
    values: metric.values.map(value => ({ ...value, labels: { ...value.labels, process: String(pid) } })),
  }));
}
