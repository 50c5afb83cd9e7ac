import type { CollectMetrics, Measured, Samples } from '../server/metrics/aggregate.ts';
import type { Report } from './messages.ts';

/** A worker's part in showing what all workers have measured. */
export interface MetricsExchange {
  readonly gather: CollectMetrics;
  /** Tells the primary what this process has measured. */
  measure(scrape: number): Promise<void>;
  /** What the primary has gathered for a scrape that came to this process. */
  answer(scrape: number, all: readonly Measured[]): void;
}

export function createMetricsExchange(report: (report: Report) => void, orphaned: Promise<void>): MetricsExchange {
  const scrapes = new Map<number, (all: readonly Measured[]) => void>();
  let own: () => Promise<Samples> = async () => [];
  let last = 0;
  return {
    gather(measure) {
      own = measure;
      return () =>
        new Promise(resolve => {
          last += 1;
          scrapes.set(last, resolve);
          void orphaned.then(() => resolve([]));
          report({ kind: 'scrape', scrape: last });
        });
    },
    async measure(scrape) {
      report({ kind: 'samples', scrape, samples: await own() });
    },
    answer(scrape, all) {
      scrapes.get(scrape)?.(all);
      scrapes.delete(scrape);
    },
  };
}
