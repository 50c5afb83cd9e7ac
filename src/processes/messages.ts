import type { Measured, Samples } from '../server/metrics/aggregate.ts';

/** What the primary tells a worker. */
export type Order =
  /** Comes with the connection itself, unless its caller has gone already. */
  | { readonly kind: 'take'; readonly connection: number }
  /** From now on the service is not ready. */
  | { readonly kind: 'unready' }
  /** Answer those who are in, then end. */
  | { readonly kind: 'end' }
  | { readonly kind: 'measure'; readonly scrape: number }
  | { readonly kind: 'measured'; readonly scrape: number; readonly all: readonly Measured[] };

/** What a worker tells the primary. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'taken'; readonly connection: number }
  /** One of the connections that were taken is closed. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'scrape'; readonly scrape: number }
  | { readonly kind: 'samples'; readonly scrape: number; readonly samples: Samples };

const isMessage = (message: unknown) => typeof message === 'object' && message !== null && 'kind' in message;

export function isOrder(message: unknown): message is Order {
  return isMessage(message);
}

export function isReport(message: unknown): message is Report {
  return isMessage(message);
}
