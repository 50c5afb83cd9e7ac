import type { OrderStatus } from '../../src/generated/web.ts';
import { Unreachable } from '../errors.ts';
import { changeStatus, type Order } from './orders/operations.ts';

/** A change of status that the user has made. */
export interface StatusChange {
  readonly orderId: string;
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  /** Why, for the guest and for colleagues. */
  readonly reason?: string | undefined;
  /** Whether it was sent before without a response: then the server may have made it. */
  readonly isRepeated: boolean;
}

export interface OutboxOptions {
  readonly storeId: string;
  /** Called with the changed order; undefined if it no longer exists. */
  readonly onChanged: (order: Order | undefined, change: StatusChange) => void;
  /** Called when the server refuses a change. */
  readonly onRefused: (change: StatusChange, error: unknown) => Promise<void> | void;
  readonly update: () => void;
}

const retryMs = 2000;

/**
 * Sends changes of status one after the other, and again until there is a response. They are stored in the tab, so that neither a cut
 * network nor a reload loses one; an order has at most one.
 */
export function createOutbox({ storeId, onChanged, onRefused, update }: OutboxOptions) {
  const storageKey = `carte.console.outbox.${storeId}`;
  let changes: readonly StatusChange[] = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
  let isSending = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function store(next: readonly StatusChange[]): void {
    changes = next;
    if (next.length > 0) sessionStorage.setItem(storageKey, JSON.stringify(next));
    else sessionStorage.removeItem(storageKey);
    update();
  }
  const remove = (change: StatusChange) => store(changes.filter(({ orderId }) => orderId !== change.orderId));

  async function flush(): Promise<void> {
    clearTimeout(timer);
    if (isSending || isClosed) return;
    isSending = true;
    try {
      for (let [change] = changes; change && !isClosed; [change] = changes) {
        if (!(await sendOne(change))) break;
      }
    } finally {
      isSending = false;
    }
    if (changes.length > 0 && !isClosed) timer = setTimeout(flush, retryMs);
  }

  /** Returns whether there was a response. */
  async function sendOne(change: StatusChange): Promise<boolean> {
    const { orderId: order, from, to, reason = null } = change;
    try {
      const { changeOrderStatus } = await changeStatus({ order, from, to, reason });
      onChanged(changeOrderStatus?.order, change);
    } catch (error) {
      if (error instanceof Unreachable) {
        store(changes.map(one => (one.orderId === order ? { ...one, isRepeated: true } : one)));
        return false;
      }
      await onRefused(change, error);
    }
    remove(change);
    return true;
  }

  flush();
  return {
    add(change: Omit<StatusChange, 'isRepeated'>): void {
      if (changes.some(({ orderId }) => orderId === change.orderId)) return;
      store([...changes, { ...change, isRepeated: false }]);
      flush();
    },
    changeOf: (orderId: string) => changes.find(change => change.orderId === orderId),
    size: () => changes.length,
    /** Sends what waits, e.g. since the network is back. */
    flush,
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
