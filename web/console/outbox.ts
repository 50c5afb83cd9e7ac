import { Unreachable } from '../errors.ts';

interface OutboxOptions<Change> {
  /** Where the changes are stored in the tab, so that neither a cut network nor a reload loses one. */
  readonly storageKey: string;
  readonly keyOf: (change: Change) => string;
  /** How many are sent together. */
  readonly batchSize: number;
  readonly send: (changes: readonly Change[]) => Promise<void>;
  /** Called when the server refuses changes. */
  readonly onRefused: (changes: readonly Change[], error: unknown) => Promise<void> | void;
  readonly onConnection?: (isOffline: boolean) => void;
  /** Called when changes were added or removed. */
  readonly update: () => void;
}

/** A change that may be sent more than once, or later. */
export interface Repeatable {
  /** Whether it was sent before without a response: the server may have made it. */
  readonly isRepeated?: boolean;
  /** Until when the user can take it back, in ms; it is not sent before. */
  readonly heldUntil?: number | undefined;
}

const retryMs = 2000;

/** Sends the changes that the user has made, and again until there is a response. There is at most one with the same key: the last. */
export function createOutbox<Change extends Repeatable>(options: OutboxOptions<Change>) {
  const { storageKey, keyOf, batchSize, send, onRefused, onConnection, update } = options;
  const stored: readonly Change[] = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
  const changes = new Map(stored.map(change => [keyOf(change), change]));
  let isSending = false;
  let isClosed = false;
  let isReachable = true;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function store(): void {
    if (changes.size > 0) sessionStorage.setItem(storageKey, JSON.stringify([...changes.values()]));
    else sessionStorage.removeItem(storageKey);
    update();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    if (isSending || isClosed) return;
    isSending = true;
    try {
      isReachable = true;
      for (let batch = takeBatch(); batch.length > 0 && isReachable && !isClosed; batch = takeBatch())
        isReachable = await sendBatch(batch);
    } finally {
      isSending = false;
    }
    wait();
  }

  /** Waits until the next change may be sent. */
  function wait(): void {
    if (changes.size === 0 || isClosed) return;
    const next = Math.min(...[...changes.values()].map(({ heldUntil = 0 }) => heldUntil));
    timer = setTimeout(flush, Math.max(isReachable ? 0 : retryMs, next - Date.now()));
  }

  const isFree = ({ heldUntil = 0 }: Change) => heldUntil <= Date.now();

  /** The next changes to send, which nobody can take back from now on. */
  function takeBatch(): readonly Change[] {
    const batch = [...changes.values()].filter(isFree).slice(0, batchSize);
    return batch.map(free);
  }

  function free(change: Change): Change {
    if (change.heldUntil === undefined) return change;
    const freed = { ...change, heldUntil: undefined };
    changes.set(keyOf(change), freed);
    update();
    return freed;
  }

  /** Resolves to whether there was a response. What the user has changed again meanwhile stays. */
  async function sendBatch(batch: readonly Change[]): Promise<boolean> {
    const unchanged = () => batch.filter(change => changes.get(keyOf(change)) === change);
    try {
      await send(batch);
      onConnection?.(false);
    } catch (error) {
      if (error instanceof Unreachable) {
        for (const change of unchanged()) changes.set(keyOf(change), { ...change, isRepeated: true });
        store();
        onConnection?.(true);
        return false;
      }
      await onRefused(batch, error);
    }
    for (const change of unchanged()) changes.delete(keyOf(change));
    store();
    return true;
  }

  flush();
  return {
    add(change: Change): void {
      changes.set(keyOf(change), change);
      store();
      flush();
    },
    /** Drops a change that is held; false if it is sent already. */
    takeBack(key: string): boolean {
      const change = changes.get(key);
      if (!change || isFree(change)) return false;
      changes.delete(key);
      store();
      return true;
    },
    /** Sends what is held, since nobody will take it back. */
    release: () =>
      Promise.all([...changes.values()].filter(change => !isFree(change)).map(change => sendBatch([free(change)]))),
    /** The change of a key that was not confirmed yet. */
    changeOf: (key: string) => changes.get(key),
    size: () => changes.size,
    /** Sends what waits, e.g. since the network is back. */
    flush,
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
