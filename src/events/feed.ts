import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { queryOn } from '../database/access.ts';
import type { Query } from '../database/query.ts';
import { currentRequest } from '../database/statements.ts';
import { withTimeout } from '../database/timeout.ts';
import type { Event } from './entities.ts';
import { currentPosition, EventsDeleted, readEvents } from './log.ts';

export interface FeedListener {
  /** Called with new events in the order of their positions; must not throw. */
  readonly onEvents: (events: readonly Event[]) => void;
  /** Called when events were deleted before the feed could read them; it goes on with those after. */
  readonly onGap?: (error: EventsDeleted) => void;
  /** Called when the feed is closed, since no more events will come. */
  readonly onClose?: () => void;
  /** Only events of this store. */
  readonly storeId?: string | undefined;
}

export interface FeedChange {
  readonly isConnected: boolean;
  readonly reason?: unknown;
}

export interface FeedOptions {
  /** Creates a client for the primary; not through a PgBouncer in transaction mode, which drops notifications. */
  readonly createClient: () => pg.Client;
  /** Called when the connection is established, and once when it is lost or cannot be established. */
  readonly onChange?: (change: FeedChange) => void;
  /** Called if events arrive repeatedly that no notification has announced. */
  readonly onMissedNotifications?: () => void;
  /** Time between reads without a notification. */
  readonly pollMs?: number;
}

const channel = 'carte_event';
const batchSize = 500;
const timeoutMs = 10_000;
const closeTimeoutMs = 1_000;
const minRetryMs = 100;
const maxRetryMs = 2_000;

/**
 * Reads new events of the whole log and hands them to all listeners of the process. It has one connection, opened for the first listener,
 * on which it waits for notifications and reads. A notification only says that there is something to read: one that is lost delays
 * events until the next poll, and a connection that breaks until the next one is established.
 */
export class EventFeed {
  readonly #options: FeedOptions;
  readonly #listeners = new Map<string | undefined, Set<FeedListener>>();
  readonly #closed = new AbortController();
  #position = 0;
  /** Resolves when `#position` is one from which listeners get everything: it is not kept up to date without listeners. */
  #ready: PromiseWithResolvers<number> | undefined;
  #isCurrent = false;
  #wake = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #isConnected = false;
  #reported = false;
  #eventsRead = 0;
  #caughtUpAt: number | undefined;
  #silentPolls = 0;
  #polled = { events: 0, notifications: 0 };

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get eventsRead(): number {
    return this.#eventsRead;
  }

  /** Time since the feed last reached the end of the log; 0 without listeners. */
  get behindSeconds(): number {
    if (this.#listeners.size === 0 || this.#caughtUpAt === undefined) return 0;
    return (performance.now() - this.#caughtUpAt) / 1_000;
  }

  /** The position of the last event that listeners got. */
  position(): number {
    return this.#position;
  }

  /** Resolves to a position, once the listeners get every event after it. While the database is unavailable, it is pending. */
  ready(): Promise<number> {
    return this.#isCurrent ? Promise.resolve(this.#position) : this.#pendingReady();
  }

  /** Adds a listener, and returns the function that removes it. */
  subscribe(listener: FeedListener | FeedListener['onEvents']): () => void {
    const added: FeedListener = typeof listener === 'function' ? { onEvents: listener } : { ...listener };
    const listeners = this.#listeners.get(added.storeId) ?? new Set();
    this.#listeners.set(added.storeId, listeners.add(added));
    if (this.#isClosed) queueMicrotask(() => added.onClose?.());
    else this.#start();
    return () => {
      listeners.delete(added);
      if (listeners.size === 0 && this.#listeners.get(added.storeId) === listeners) {
        this.#listeners.delete(added.storeId);
      }
      if (this.#listeners.size === 0) this.#isCurrent = false;
    };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#wake.resolve();
    for (const { onClose } of this.#all()) onClose?.();
    await this.#running;
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** A copy, since listeners may remove themselves when they are called. */
  #all(): FeedListener[] {
    return [...this.#listeners.values()].flatMap(listeners => [...listeners]);
  }

  #pendingReady(): Promise<number> {
    this.#ready ??= Promise.withResolvers();
    return this.#ready.promise;
  }

  #start(): void {
    this.#caughtUpAt ??= performance.now();
    this.#wake.resolve();
    // Not part of the request that happens to be the first to subscribe.
    this.#running ??= currentRequest.run(undefined, () => this.#run());
  }

  async #run(): Promise<void> {
    let retryMs = minRetryMs;
    while (!this.#isClosed) {
      try {
        await this.#listen(() => {
          retryMs = minRetryMs;
        });
      } catch (reason) {
        this.#report({ isConnected: false, reason });
      }
      // Full jitter, so that processes do not reconnect all at once.
      await sleep(Math.random() * retryMs, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
      retryMs = Math.min(retryMs * 2, maxRetryMs);
    }
  }

  /** Reads on one connection until it breaks or the feed is closed. */
  async #listen(onConnected: () => void): Promise<void> {
    const client = this.#options.createClient();
    const query: Query = (...args) => withTimeout(timeoutMs, queryOn(client)(...args));
    let failure: Error | undefined;
    const onFailure = (error = new Error('The connection was closed')) => {
      failure ??= error;
      this.#wake.resolve();
    };
    client.on('error', onFailure);
    client.on('end', () => onFailure());
    client.on('notification', () => {
      this.#polled.notifications += 1;
      this.#wake.resolve();
    });
    try {
      await withTimeout(timeoutMs, client.connect());
      // Before the first read, so that nothing is committed unseen between the two.
      await withTimeout(timeoutMs, client.query(`listen ${channel}`));
      this.#report({ isConnected: true });
      onConnected();
      while (!this.#isClosed) {
        if (failure) throw failure;
        this.#wake = Promise.withResolvers();
        if (this.#listeners.size > 0) await this.#read(query);
        await this.#wait();
      }
    } finally {
      this.#isConnected = false;
      const ended = client.end().catch(() => {});
      // A connection that hangs is left to itself.
      if (this.#isClosed) await withTimeout(closeTimeoutMs, ended).catch(() => {});
    }
  }

  /** Until a notification arrives, a listener is added, the connection breaks, or it is time to poll. */
  async #wait(): Promise<void> {
    const stop = new AbortController();
    const poll = sleep(this.#options.pollMs ?? 2_000, true, { ref: false, signal: stop.signal }).catch(() => false);
    try {
      if (await Promise.race([poll, this.#wake.promise])) this.#checkNotifications();
    } finally {
      stop.abort();
    }
  }

  /** Counts the times between two polls in which events were read and no notification arrived, not even late. */
  #checkNotifications(): void {
    const { events, notifications } = this.#polled;
    if (notifications > 0) this.#silentPolls = 0;
    else if (events > 0) this.#silentPolls += 1;
    if (events > 0 && this.#silentPolls === 2) this.#options.onMissedNotifications?.();
    this.#polled = { events: 0, notifications: 0 };
  }

  async #read(query: Query): Promise<void> {
    if (!this.#isCurrent) {
      const position = await currentPosition(query);
      this.#position = Math.max(position, this.#position);
      this.#isCurrent = this.#listeners.size > 0;
      this.#ready?.resolve(this.#position);
      this.#ready = undefined;
    }
    try {
      while (await this.#readBatch(query));
    } catch (error) {
      if (!(error instanceof EventsDeleted)) throw error;
      this.#position = error.completeAfter;
      for (const { onGap } of this.#all()) onGap?.(error);
      this.#wake.resolve();
    }
    this.#caughtUpAt = performance.now();
  }

  /** Whether there may be more. */
  async #readBatch(query: Query): Promise<boolean> {
    const page = await readEvents(query, { after: this.#position, limit: batchSize });
    // The response to a read that had timed out may come late.
    const events = page.filter(({ position }) => position > this.#position);
    this.#position = events.at(-1)?.position ?? this.#position;
    this.#eventsRead += events.length;
    this.#polled.events += events.length;
    this.#deliver(events);
    return page.length === batchSize && this.#listeners.size > 0;
  }

  #deliver(events: readonly Event[]): void {
    if (events.length === 0) return;
    for (const { onEvents } of [...(this.#listeners.get(undefined) ?? [])]) onEvents(events);
    for (const [storeId, ofStore] of Map.groupBy(events, event => event.storeId)) {
      for (const { onEvents } of [...(this.#listeners.get(storeId) ?? [])]) onEvents(ofStore);
    }
  }

  #report(change: FeedChange): void {
    this.#isConnected = change.isConnected;
    if (this.#isClosed || (this.#reported && !change.isConnected)) return;
    this.#reported = !change.isConnected;
    this.#options.onChange?.(change);
  }
}
