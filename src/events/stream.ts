import { setTimeout as sleep } from 'node:timers/promises';
import { StreamCut } from '@carte/base/errors';
import { toUnavailable } from '../database/errors.ts';
import type { Query } from '../database/query.ts';
import type { Event } from './entities.ts';
import type { EventFeed } from './feed.ts';
import { checkPosition, type EventFilter, readEvents } from './log.ts';

export interface StreamOptions {
  readonly feed: EventFeed;
  /** Reads missed events from the primary. */
  readonly query: Query;
  /** The position after which to start; absent: only events from now on. */
  readonly after?: number | undefined;
  readonly filter?: EventFilter;
  /** Events in memory that may wait for the reader; beyond that they are read from the log when it is ready for them. */
  readonly maxBuffered: number;
  /** With more events waiting than that, a reader that takes none for so long is cut. */
  readonly maxStallMs?: number;
  /** Until when the service itself has held the reader back, which is not its fault; infinite while it does. */
  readonly heldUntil?: () => number;
}

/** An event for one reader. */
export interface StreamedEvent extends Event {
  /** Whether it was read from the log since the reader had missed it, or has come as it was committed. */
  readonly isReplayed: boolean;
}

const pageSize = 200;
const maxRetryMs = 500;
const defaultMaxStallMs = 10_000;

type Result = IteratorResult<StreamedEvent, undefined>;

/**
 * Streams the events after a position: first those that were missed, read from the log page by page as the reader takes them, then those of
 * the feed. Starts at once, and must be ended by `return()`, which also works while `next()` is pending (unlike that of a generator).
 */
export class EventStream implements AsyncIterableIterator<StreamedEvent, undefined> {
  /** Resolves when the stream has its starting point; rejects if `after` is too old, or in the future. */
  readonly opened: Promise<void>;
  readonly #options: StreamOptions & Required<Pick<StreamOptions, 'maxStallMs' | 'heldUntil'>>;
  readonly #unsubscribe: () => void;
  /** Events for the reader. */
  #queue: StreamedEvent[] = [];
  #takenAt = performance.now();
  /** Events of the feed that arrive while missed ones are read; undefined if there are too many, so that they must be read, too. */
  #arrived: Event[] | undefined = [];
  #isLive = false;
  /** Position of the last event that was queued. */
  #last = 0;
  #waiting: PromiseWithResolvers<Result>[] = [];
  /** From the start, until the stream has its starting point. */
  #isReading = true;
  #failure: Error | undefined;
  #isDone = false;

  constructor(options: StreamOptions) {
    this.#options = { maxStallMs: defaultMaxStallMs, heldUntil: () => 0, ...options };
    const { feed, filter } = options;
    this.#unsubscribe = feed.subscribe({
      storeId: filter?.storeId,
      onEvents: events => this.#onEvents(events),
      onGap: error => this.#fail(error),
      onClose: () => void this.return(),
    });
    this.opened = this.#open();
    // Also reported by `next`.
    this.opened.catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const next = Promise.withResolvers<Result>();
    this.#waiting.push(next);
    this.#takenAt = performance.now();
    this.#serve();
    return next.promise;
  }

  async return(): Promise<Result> {
    this.#end();
    return { done: true, value: undefined };
  }

  #end(): void {
    this.#isDone = true;
    this.#queue = [];
    this.#unsubscribe();
    this.#serve();
  }

  async #open(): Promise<void> {
    const { feed, after } = this.#options;
    const position = await (after === undefined ? feed.ready() : feed.current());
    this.#last = after ?? position;
    const error = checkPosition(this.#last, position);
    if (error) this.#fail(error);
    await this.#readPage();
    this.#isReading = false;
    const failure = this.#failure;
    this.#serve();
    if (failure) throw failure;
  }

  /** Hands queued events to pending `next()` calls, and reads the next page if they are too few. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      const event = this.#queue.shift();
      if (event) this.#waiting.shift()?.resolve({ done: false, value: event });
      else if (this.#failure) {
        // Once, as iterators do; then the stream is done.
        this.#waiting.shift()?.reject(this.#failure);
        this.#failure = undefined;
      } else if (this.#isDone) this.#waiting.shift()?.resolve({ done: true, value: undefined });
      else break;
    }
    if (this.#waiting.length === 0 || this.#isLive || this.#isReading || this.#isDone) return;
    this.#isReading = true;
    void this.#readPage().then(() => {
      this.#isReading = false;
      this.#serve();
    });
  }

  /** Reads one page of missed events; after the last one, the stream goes on with those that have arrived meanwhile. */
  async #readPage(): Promise<void> {
    const { query, filter } = this.#options;
    while (!this.#isDone) {
      this.#arrived ??= [];
      try {
        const events = await readEvents(query, { ...filter, after: this.#last, limit: pageSize });
        this.#push(events, true);
        if (events.length === pageSize || !this.#arrived) return;
        this.#isLive = true;
        this.#push(this.#arrived, false);
        this.#arrived = [];
        return;
      } catch (error) {
        // The reader waits until the database is available again.
        if (toUnavailable(error)) await sleep(Math.random() * maxRetryMs, undefined, { ref: false });
        else this.#fail(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #onEvents(events: readonly Event[]): void {
    const { filter, maxBuffered, maxStallMs } = this.#options;
    const { kinds, orderId } = filter ?? {};
    const ofKinds = kinds ? events.filter(({ kind }) => kinds.includes(kind)) : events;
    const wanted = orderId ? ofKinds.filter(event => event.orderId === null || event.orderId === orderId) : ofKinds;
    if (wanted.length === 0) return;
    const isOverflowing = !this.#arrived;
    const buffered = this.#isLive ? this.#queue : (this.#arrived ?? []);
    if (isOverflowing && this.#isStalled()) this.#fail(tooSlow(maxBuffered, maxStallMs));
    else if (isOverflowing || buffered.length + wanted.length > maxBuffered + this.#waiting.length) {
      // Left to the log, from which they are read when the reader has taken those before.
      this.#isLive = false;
      this.#arrived = undefined;
    } else if (this.#isLive) this.#push(wanted, false);
    else this.#arrived?.push(...wanted);
    this.#serve();
  }

  #isStalled(): boolean {
    const { heldUntil, maxStallMs } = this.#options;
    const idleSince = Math.max(this.#takenAt, heldUntil());
    return this.#waiting.length === 0 && performance.now() - idleSince >= maxStallMs;
  }

  #push(events: readonly Event[], isReplayed: boolean): void {
    for (const event of events) {
      if (event.position <= this.#last) continue;
      this.#queue.push({ ...event, isReplayed });
      this.#last = event.position;
    }
  }

  #fail(error: Error): void {
    if (this.#isDone) return;
    this.#failure = error;
    this.#end();
  }
}

function tooSlow(maxBuffered: number, maxStallMs: number): StreamCut {
  const stalled = `its reader took no event for ${maxStallMs / 1_000} s while more than ${maxBuffered} were waiting`;
  return new StreamCut(`The stream was ended: ${stalled}. Subscribe again with the cursor of the last event.`);
}
