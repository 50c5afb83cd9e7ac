import type { Gather, Measured, Samples } from '../http/metrics/whole.ts';
import type { Report } from './messages.ts';

/** A worker's part in showing what all workers have measured. */
export interface Gathering {
  readonly gather: Gather;
  /** Tells the primary what this process has measured. */
  measure(scrape: number): Promise<void>;
  /** What the primary has gathered for a scrape that came to this process. */
  answer(scrape: number, all: readonly Measured[]): void;
}

export function createGathering(report: (report: Report) => void, orphaned: Promise<void>): Gathering {
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
