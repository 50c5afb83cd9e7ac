import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withTimeout } from '../database/errors.ts';
import { queryOn } from '../database/pool.ts';
import type { Query } from '../database/query.ts';
import { currentRequest } from '../scheduling/current-request.ts';
import { type FeedListener, FeedListeners } from './listeners.ts';
import { currentPosition, EventsDeleted, readEvents } from './log.ts';
import { createSequencer, type RunSequencer } from './sequencer.ts';

export interface FeedOptions {
  /** Creates a client for the primary; not through a PgBouncer in transaction mode, which drops notifications. */
  readonly createClient: () => pg.Client;
  /** Called when the connection is established, and once when it is lost or cannot be established. */
  readonly onChange?: (change: { readonly isConnected: boolean; readonly reason?: unknown }) => void;
  /** Called if events arrive repeatedly that no notification has announced. */
  readonly onMissedNotifications?: () => void;
  /** Time between rounds that nothing has asked for, which find changes by commands and by hand; by default it depends on what they find. */
  readonly pollMs?: number;
}

const channel = 'carte_event';
const batchSize = 500;
const timeoutMs = 10_000;
const closeTimeoutMs = 1_000;
/** Between two transactions that move events: those that are committed meanwhile share the next one. */
const minSequencingIntervalMs = 5;
/** Where polls find events, as during an import, there may soon be more. */
const minPollMs = 10;
const maxPollMs = 250;
const minRetryMs = 100;
const maxRetryMs = 2_000;

/**
 * Moves what was committed into the log, in turn with the feeds of other processes, reads new events of the whole log, and hands them to all
 * listeners of the process. All on one connection, in rounds: after a commit of this process, a notification, or a while. A notification only
 * says that there is something to read: one that is lost delays events until the next poll, and a connection that breaks until the next one is
 * established.
 */
export class EventFeed {
  readonly #options: FeedOptions;
  readonly #listeners = new FeedListeners();
  readonly #closed = new AbortController();
  #position = 0;
  /** Resolves after a round that begins later. */
  #ready: PromiseWithResolvers<number> | undefined;
  /** Whether `#position` is one from which listeners get everything: it is not kept up to date without listeners. */
  #isCurrent = false;
  #wake = Promise.withResolvers<void>();
  #isPoll = false;
  #isSequencingDue = true;
  #sequencedAt = Number.NEGATIVE_INFINITY;
  #pollMs: number;
  #running: Promise<void> | undefined;
  #client: pg.Client | undefined;
  isConnected = false;
  #reported = false;
  eventsRead = 0;
  #caughtUpAt: number | undefined;
  #silentPolls = 0;
  #polled = { events: 0, notifications: 0 };

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? maxPollMs;
  }

  /** Time since everything that was committed was in the log, and read; 0 before the start. */
  get behindSeconds(): number {
    return this.#caughtUpAt === undefined ? 0 : (performance.now() - this.#caughtUpAt) / 1_000;
  }

  /** The position of the last event that listeners got. */
  position(): number {
    return this.#position;
  }

  /**
   * Resolves to a position, once the listeners get every event after it; those that were committed before the call are not after it. While the
   * database is unavailable, it is pending.
   */
  ready(): Promise<number> {
    this.#ready ??= Promise.withResolvers();
    this.sequence();
    return this.#ready.promise;
  }

  /** As `ready`, but without waiting where listeners get every event already; some after the position may have been committed before. */
  current(): Promise<number> {
    return this.#isCurrent ? Promise.resolve(this.#position) : this.ready();
  }

  /** Starts without a listener: the events of the process must get into the log in any case. */
  start(): void {
    this.#caughtUpAt ??= performance.now();
    this.#wake.resolve();
    // Not part of the request that happens to be the first to subscribe.
    this.#running ??= currentRequest.run(undefined, () => this.#run());
  }

  /** Moves new events into the log: the process has committed a change. */
  sequence(): void {
    this.#isSequencingDue = true;
    this.#wake.resolve();
  }

  /** Adds a listener, and returns the function that removes it. */
  subscribe(listener: FeedListener): () => void {
    const remove = this.#listeners.add(listener);
    if (this.#isClosed) queueMicrotask(() => listener.onClose?.());
    else this.start();
    return () => {
      remove();
      if (this.#listeners.isEmpty) this.#isCurrent = false;
    };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#wake.resolve();
    for (const { onClose } of this.#listeners.all()) onClose?.();
    // A statement that hangs, such as a commit that waits for a standby, is left to itself.
    const timer = setTimeout(() => void this.#client?.end(), closeTimeoutMs);
    await this.#running;
    clearTimeout(timer);
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
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
    this.#client = client;
    const query: Query = (...args) => withTimeout(timeoutMs, queryOn(client)(...args));
    let failure: Error | undefined;
    const onFailure = (error = new Error('The connection was closed')) => {
      failure ??= error;
      this.#wake.resolve();
    };
    client.on('error', onFailure);
    client.on('end', () => onFailure());
    client.on('notification', ({ processId }) => {
      this.#polled.notifications += 1;
      // Of its own events it has read.
      if (processId !== Reflect.get(client, 'processID')) this.#wake.resolve();
    });
    try {
      await withTimeout(timeoutMs, client.connect());
      // Before the first read, so that nothing is committed unseen between the two.
      await withTimeout(timeoutMs, client.query(`listen ${channel}`));
      this.#report({ isConnected: true });
      onConnected();
      const runSequencer = createSequencer(query);
      this.#isSequencingDue = true;
      while (!this.#isClosed) {
        if (failure) throw failure;
        this.#wake = Promise.withResolvers();
        await this.#runRound(query, runSequencer);
        await this.#wait();
      }
    } finally {
      this.isConnected = false;
      const ended = client.end().catch(() => {});
      // A connection that hangs is left to itself.
      if (this.#isClosed) await withTimeout(closeTimeoutMs, ended).catch(() => {});
    }
  }

  async #runRound(query: Query, runSequencer: RunSequencer): Promise<void> {
    const ready = this.#listeners.isEmpty ? undefined : this.#ready;
    if (ready) this.#ready = undefined;
    try {
      const isComplete = await this.#sequence(runSequencer);
      if (!this.#listeners.isEmpty) await this.#read(query);
      if (isComplete) this.#caughtUpAt = performance.now();
      ready?.resolve(this.#position);
    } catch (error) {
      // The next round is for those who wait for this one.
      ready?.resolve(this.ready());
      throw error;
    }
  }

  /** Whether everything that was committed is in the log. */
  async #sequence(runSequencer: RunSequencer): Promise<boolean> {
    if (!this.#isSequencingDue) return true;
    if (performance.now() - this.#sequencedAt < minSequencingIntervalMs) {
      await sleep(minSequencingIntervalMs, undefined, { ref: false });
    }
    this.#isSequencingDue = false;
    const { moved, isComplete } = await runSequencer();
    this.#sequencedAt = performance.now();
    // Those of this process are announced.
    if (this.#isPoll)
      this.#pollMs = this.#options.pollMs ?? (moved > 0 ? minPollMs : Math.min(this.#pollMs * 2, maxPollMs));
    if (!isComplete) this.#isSequencingDue = true;
    if (!isComplete && moved > 0) this.#wake.resolve();
    return isComplete;
  }

  /** Until a notification arrives, a listener is added, the connection breaks, or it is time to poll. */
  async #wait(): Promise<void> {
    this.#isPoll = false;
    const { promise, resolve } = this.#wake;
    // Not `sleep`, which costs more to abort than all the rest of a round here.
    const timer = setTimeout(() => {
      this.#isPoll = true;
      resolve();
    }, this.#pollMs).unref();
    await promise;
    clearTimeout(timer);
    if (!this.#isPoll) return;
    this.#isSequencingDue = true;
    this.#checkNotifications();
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
      this.#isCurrent = !this.#listeners.isEmpty;
    }
    try {
      while (await this.#readBatch(query));
    } catch (error) {
      if (!(error instanceof EventsDeleted)) throw error;
      this.#position = error.completeAfter;
      for (const { onGap } of this.#listeners.all()) onGap?.(error);
      this.#wake.resolve();
    }
  }

  /** Whether there may be more. */
  async #readBatch(query: Query): Promise<boolean> {
    const page = await readEvents(query, { after: this.#position, limit: batchSize });
    // The response to a read that had timed out may come late.
    const events = page.filter(({ position }) => position > this.#position);
    this.#position = events.at(-1)?.position ?? this.#position;
    this.eventsRead += events.length;
    this.#polled.events += events.length;
    this.#listeners.deliver(events);
    return page.length === batchSize && !this.#listeners.isEmpty;
  }

  #report(change: Parameters<NonNullable<FeedOptions['onChange']>>[0]): void {
    this.isConnected = change.isConnected;
    if (this.#isClosed || (this.#reported && !change.isConnected)) return;
    this.#reported = !change.isConnected;
    this.#options.onChange?.(change);
  }
}
