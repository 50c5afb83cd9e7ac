import type { Order, Snapshot } from './operations.ts';
import { type Column, columns, statuses } from './statuses.ts';

const maxCompleted = 30;

export type Columns = Readonly<Record<Column, readonly Order[]>>;

/** The orders on the board, as the server has them. */
export class Board {
  #isLoaded = false;
  readonly #onArrivals: (orders: readonly Order[]) => void;
  #orders: ReadonlyMap<string, Order> = new Map();
  #columns: Columns | undefined;

  /** `onArrivals` is called with new orders that were not on the board before. */
  constructor(onArrivals: (orders: readonly Order[]) => void) {
    this.#onArrivals = onArrivals;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Shows a snapshot, and what was reported since it was requested. */
  replace({ orders }: Pick<Snapshot, 'orders'>, reportedSince: readonly Order[]): void {
    const isFirst = !this.#isLoaded;
    const before = this.#orders;
    this.#isLoaded = true;
    this.#set(new Map([...orders, ...reportedSince].map(order => [order.id, order])));
    if (!isFirst) this.#announce(orders, before);
  }

  /** Shows the new state of an order. */
  apply(order: Order): void {
    const before = this.#orders;
    this.#set(new Map(before).set(order.id, order));
    this.#announce([order], before);
  }

  remove(id: string): void {
    const orders = new Map(this.#orders);
    orders.delete(id);
    this.#set(orders);
  }

  get(id: string | undefined): Order | undefined {
    return id === undefined ? undefined : this.#orders.get(id);
  }

  /** The orders by column: the one that is due next first, and of the completed ones the last. */
  columns(): Columns {
    if (!this.#columns) {
      this.#columns = groupByColumn(this.#orders.values());
      // Completed orders that are no longer shown are dropped, so that an evening does not fill the memory.
      this.#orders = new Map(
        columns.flatMap(({ name }) => this.#columns?.[name] ?? []).map(order => [order.id, order]),
      );
    }
    return this.#columns;
  }

  #set(orders: ReadonlyMap<string, Order>): void {
    this.#orders = orders;
    this.#columns = undefined;
  }

  #announce(orders: readonly Order[], before: ReadonlyMap<string, Order>): void {
    const arrived = orders.filter(({ id, status }) => status === 'PENDING' && !before.has(id));
    if (arrived.length > 0) this.#onArrivals(arrived);
  }
}

function groupByColumn(orders: Iterable<Order>): Columns {
  const groups = Map.groupBy(orders, ({ status }) => statuses[status].column);
  const sorted = columns.map(({ name }) => {
    const ofColumn = groups.get(name) ?? [];
    return [name, name === 'done' ? ofColumn.sort(byCompletion).slice(0, maxCompleted) : ofColumn.sort(byReadyTime)];
  });
  return Object.fromEntries(sorted);
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** When an order must be ready: as the store has confirmed it, or else as the guest wants it. */
export const dueOf = ({ confirmedReadyBy, readyBy }: Order): string => confirmedReadyBy ?? readyBy;

function byReadyTime(one: Order, other: Order): number {
  return compare(dueOf(one), dueOf(other)) || compare(one.id, other.id);
}

function byCompletion(one: Order, other: Order): number {
  return compare(other.completedAt ?? other.createdAt, one.completedAt ?? one.createdAt) || compare(one.id, other.id);
}
