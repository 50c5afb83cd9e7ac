export interface PendingLimits {
  readonly perAddress: number;
  readonly total: number;
}

interface Pending {
  readonly address: string;
  readonly close: () => void;
}

/**
 * The connections that have not been initialised. Beyond a limit, the oldest one gives way to the newest: clients initialise theirs at once, so
 * those that hold many open hinder nobody, also where all clients seem to come from the address of one proxy.
 */
export class PendingConnections {
  readonly #limits: PendingLimits;
  readonly #all = new Set<Pending>();
  readonly #byAddress = new Map<string, Set<Pending>>();

  constructor(limits: PendingLimits) {
    this.#limits = limits;
  }

  /** Adds a connection; returns the function to call when it is initialised or closed. */
  add(address: string, close: () => void): () => void {
    const { perAddress, total } = this.#limits;
    const same = this.#byAddress.get(address) ?? new Set();
    if (same.size >= perAddress) this.#closeOldest(same);
    else if (this.#all.size >= total) this.#closeOldest(this.#all);
    const pending: Pending = { address, close };
    this.#all.add(pending);
    this.#byAddress.set(address, same.add(pending));
    return () => this.#remove(pending);
  }

  #closeOldest(connections: ReadonlySet<Pending>): void {
    const [oldest] = connections;
    if (!oldest) return;
    this.#remove(oldest);
    oldest.close();
  }

  #remove(pending: Pending): void {
    this.#all.delete(pending);
    const ofAddress = this.#byAddress.get(pending.address);
    ofAddress?.delete(pending);
    if (ofAddress?.size === 0) this.#byAddress.delete(pending.address);
  }
}
