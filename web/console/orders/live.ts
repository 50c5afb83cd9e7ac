import { Unreachable } from '../errors.ts';
import type { Board } from './board.ts';
import { fetchRevision, fetchSnapshot, type Order } from './operations.ts';

export type Connection = 'loading' | 'online' | 'offline';

export interface LiveOptions {
  readonly storeId: string;
  readonly board: Board;
  readonly onConnection: (connection: Connection) => void;
  /** Called when the board may have changed. */
  readonly update: () => void;
  readonly fail: (error: unknown) => void;
}

const pollMs = 1000;

/** Keeps a board current: it reads the revision of the orders, and the orders again whenever it has changed. */
export function followOrders({ storeId, board, onConnection, update, fail }: LiveOptions) {
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Orders that were reported while a snapshot is read, which may be older. */
  let reported: Order[] | undefined;

  async function poll(): Promise<void> {
    clearTimeout(timer);
    try {
      const isKnown = board.revision !== undefined;
      const revision = isKnown ? (await fetchRevision({ store: storeId })).store?.ordersRevision : undefined;
      if (!isKnown || revision !== board.revision) await reload();
      onConnection('online');
    } catch (error) {
      if (isClosed) return;
      if (!(error instanceof Unreachable)) return fail(error);
      onConnection('offline');
    }
    if (!isClosed) timer = setTimeout(poll, pollMs);
  }

  async function reload(): Promise<void> {
    reported = [];
    try {
      const snapshot = await fetchSnapshot(storeId);
      if (!isClosed) board.replace(snapshot, reported);
    } finally {
      reported = undefined;
    }
    update();
  }

  const pollAtOnce = () => {
    poll();
  };
  addEventListener('online', pollAtOnce);
  poll();
  return {
    /** Shows the new state of an order, as a mutation returned it. */
    report(order: Order): void {
      reported?.push(order);
      board.apply(order);
      update();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      removeEventListener('online', pollAtOnce);
    },
  };
}
