import type { OrderStatus } from '../../../src/generated/web.ts';
import { Conflict, messageOf } from '../../errors.ts';
import type { App } from '../app.ts';
import { createOutbox, type Repeatable } from '../outbox.ts';
import type { StoreContext } from '../session.ts';
import { createAlarm } from './alarm.ts';
import { Board } from './board.ts';
import { type Connection, followOrders } from './live.ts';
import { changeStatus, fetchOrder, type Order } from './operations.ts';
import { createOrdering, type Ordering } from './ordering.ts';
import { isHeld, statuses, takeBackMs } from './statuses.ts';

/** A change of status that the user has made; an order has at most one. */
export interface StatusChange extends Repeatable {
  readonly orderId: string;
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  /** Why, for the guest and for colleagues. */
  readonly reason: string | null;
  /** When the order will be ready, as it is confirmed. */
  readonly readyBy: string | null;
}

/** What comes with a change of status. */
export type ChangeDetails = Partial<Pick<StatusChange, 'reason' | 'readyBy'>>;

/** A part of the page that shows orders, too. */
interface OrderListener {
  readonly onOrder: (order: Order) => void;
  /** Called when changes may have been missed. */
  readonly onReload: () => void;
}

/** What is followed of a store in whatever view is shown. */
export interface FollowedStore {
  readonly store: StoreContext;
  /** Undefined for a key that may not read orders. */
  readonly watch: OrderWatch | undefined;
  readonly ordering: Ordering;
  readonly close: () => void;
}

export function followStore(app: App, store: StoreContext): FollowedStore {
  const watch = app.can('READ_ORDERS') ? createOrderWatch(app, store, () => ordering.openStream()) : undefined;
  const ordering = createOrdering({ app, store, isLive: () => watch?.connection() === 'live' });
  return {
    store,
    watch,
    ordering,
    close() {
      watch?.close();
      ordering.close();
    },
  };
}

export type OrderWatch = ReturnType<typeof createOrderWatch>;

/**
 * Follows the orders of a store in whatever view is shown: keeps its board, reports new orders until someone has accepted them, and sends the
 * changes that the user makes.
 */
function createOrderWatch(app: App, store: StoreContext, onLive: () => void) {
  const { update, notices } = app;
  let connection: Connection = 'connecting';
  let listener: OrderListener | undefined;
  const board = new Board(arrived => {
    const [first] = arrived;
    const text = arrived.length === 1 ? `New order of ${first?.customer.name}` : `${arrived.length} new orders`;
    notices.announce(text);
    alarm.report(text);
  });
  const alarm = createAlarm({
    storeId: store.id,
    // An order that was accepted here waits for the network at most.
    isDue: () => board.columns().new.some(({ id }) => !outbox.changeOf(id)),
    isShown: () => app.route().view === 'orders',
    open: () => app.navigate({ view: 'orders', store: store.id }),
    update,
  });
  const onBoard = () => {
    alarm.check();
    update();
  };
  const live = followOrders({
    storeId: store.id,
    board,
    onConnection: setConnection,
    onOrder: order => listener?.onOrder(order),
    onReload: () => listener?.onReload(),
    update: onBoard,
    fail: app.fail,
  });
  const outbox = createOutbox<StatusChange>({
    storageKey: `carte.console.outbox.${store.id}`,
    keyOf: ({ orderId }) => orderId,
    // One after the other.
    batchSize: 1,
    async send([change]) {
      if (!change) return;
      const { orderId: order, from, to, reason, readyBy } = change;
      const { changeOrderStatus: changed } = await changeStatus({ order, from, to, reason, readyBy });
      if (changed) live.report(changed.order);
    },
    onRefused: ([change], error) => change && explainRefusal(change, error),
    update: onBoard,
  });

  function setConnection(next: Connection): void {
    if (connection === 'offline' && next !== 'offline') outbox.flush();
    const hasChanged = connection !== next;
    connection = next;
    if (!hasChanged) return;
    if (next === 'live') onLive();
    update();
  }

  /** Says what became of an order that someone else has changed. */
  async function explainRefusal({ orderId, to, isRepeated }: StatusChange, error: unknown): Promise<void> {
    const order =
      error instanceof Conflict ? (await fetchOrder({ order: orderId }).catch(() => undefined))?.order : undefined;
    if (order) live.report(order);
    // The first attempt has arrived, though not its response.
    if (isRepeated && order?.status === to) return;
    const name = order?.customer.name ?? board.get(orderId)?.customer.name ?? orderId;
    notices.problem(
      order
        ? `The order of ${name} is already ${statuses[order.status].label}: someone else was faster, so “${statuses[to].action}” was not applied.`
        : `“${statuses[to].action}” for the order of ${name} was not applied. ${messageOf(error)}`,
    );
  }

  return {
    store,
    board,
    alarm,
    connection: () => connection,
    /** The number of orders that no one has accepted. */
    newCount: () => board.columns().new.length,
    changeOf: outbox.changeOf,
    /** The number of changes that were not sent yet. */
    waiting: outbox.size,
    change({ id, status }: Order, to: OrderStatus, { reason = null, readyBy = null }: ChangeDetails = {}): void {
      if (outbox.changeOf(id)) return;
      const heldUntil = isHeld(to) ? Date.now() + takeBackMs : undefined;
      outbox.add({ orderId: id, from: status, to, reason, readyBy, heldUntil });
    },
    takeBack: ({ id }: Order): boolean => outbox.takeBack(id),
    /** Sends what could still be taken back. */
    release: outbox.release,
    /** Reports changes of all orders of the store, those that are not on the board included. */
    listen(next: OrderListener | undefined): void {
      listener = next;
    },
    /** Shows the new state of an order, as a mutation returned it. */
    report: live.report,
    close(): void {
      live.close();
      outbox.close();
      alarm.close();
    },
  };
}
