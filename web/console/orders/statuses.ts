import type { OrderStatus } from '../../../src/generated/web.ts';

/** The columns of the board. */
export const columns = [
  { name: 'new', title: 'New', empty: 'No new orders. They appear here as soon as they are placed.' },
  { name: 'accepted', title: 'Kitchen', empty: 'Nothing to prepare.' },
  { name: 'ready', title: 'Ready', empty: 'Nothing waits for a guest.' },
  { name: 'done', title: 'Done', empty: 'Nothing completed yet.' },
] as const;
export type Column = (typeof columns)[number]['name'];

interface StatusTexts {
  readonly column: Column;
  readonly label: string;
  /** The button that leads to this status. */
  readonly action: string;
  /** Shown on the order until the server has confirmed it. */
  readonly progress: string;
}

export const statuses: Readonly<Record<OrderStatus, StatusTexts>> = {
  PENDING: { column: 'new', label: 'new', action: '', progress: '' },
  ACCEPTED: { column: 'accepted', label: 'accepted', action: 'Accept', progress: 'Accepting…' },
  READY: { column: 'ready', label: 'ready', action: 'Ready', progress: 'Marking as ready…' },
  FULFILLED: {
    column: 'done',
    label: 'handed over',
    action: 'Handed over',
    progress: 'Handing over…',
  },
  REJECTED: { column: 'done', label: 'rejected', action: 'Reject', progress: 'Rejecting…' },
  STORE_CANCELLED: {
    column: 'done',
    label: 'cancelled by the store',
    action: 'Cancel the order',
    progress: 'Cancelling…',
  },
  CUSTOMER_CANCELLED: {
    column: 'done',
    label: 'cancelled by the guest',
    action: 'The guest cancels',
    progress: 'Cancelling…',
  },
};

/** What people choose from when they refuse or cancel an order. */
export const reasons: Readonly<Partial<Record<OrderStatus, readonly string[]>>> = {
  REJECTED: ['Too busy', 'Sold out', 'Closing soon', 'Outside of the delivery area'],
  STORE_CANCELLED: ['Sold out', 'Nobody came for it', 'Cannot be delivered', 'Something went wrong here'],
  CUSTOMER_CANCELLED: ['The guest called', 'It took too long', 'Ordered by mistake'],
};

/** For so long the user can take back a step that the graph has no way back from. */
export const takeBackMs = 5000;
/** The steps that wait so long before they are sent. */
export const isHeld = (status: OrderStatus): boolean => status === 'READY' || status === 'FULFILLED';

const forward: ReadonlySet<OrderStatus> = new Set(['ACCEPTED', 'READY', 'FULFILLED']);

/** The next status in the usual course of an order, if the graph allows it. */
export function nextStatus(nextStatuses: readonly OrderStatus[]): OrderStatus | undefined {
  return nextStatuses.find(status => forward.has(status));
}
