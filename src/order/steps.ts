import type { OrderStatus } from '../generated/graph.ts';
import type { Order } from './entities.ts';

/** A change of an order's status, as it is stored: times are RFC 3339. */
export interface OrderStep {
  readonly at: string;
  readonly status: OrderStatus;
  /** The name of the API key; absent if there was none. */
  readonly by?: string | null;
  readonly reason?: string | null;
  /** The time at which the store has said that the order will be ready. */
  readonly readyBy?: string | null;
}

/** The reason of the current status; null if there is none, or if the status was set otherwise since, e.g. by an import. */
export function statusReasonOf({ status, steps }: Pick<Order, 'status' | 'steps'>): string | null {
  const last = steps?.at(-1);
  return last?.status === status ? (last.reason ?? null) : null;
}

/** The time that was confirmed last. */
export function confirmedReadyByOf({ steps }: Pick<Order, 'steps'>): Date | null {
  const confirmed = steps?.findLast(({ readyBy }) => readyBy != null)?.readyBy;
  return confirmed == null ? null : new Date(confirmed);
}
