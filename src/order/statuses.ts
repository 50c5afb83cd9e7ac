import type { OrderStatus } from '../generated/graph.ts';

/** The statuses that may follow each status; none follows a final one. An import may set any status. */
export const transitions: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  PENDING: ['ACCEPTED', 'REJECTED', 'CUSTOMER_CANCELLED'],
  CUSTOMER_CANCELLED: [],
  STORE_CANCELLED: [],
  ACCEPTED: ['READY', 'STORE_CANCELLED', 'CUSTOMER_CANCELLED'],
  REJECTED: [],
  READY: ['FULFILLED', 'STORE_CANCELLED'],
  FULFILLED: [],
};

/** Every status of the graph: one that is missing or unknown above does not compile. */
export const orderStatuses = Object.keys(transitions) as readonly OrderStatus[];

export const isFinal = (status: OrderStatus): boolean => transitions[status].length === 0;
