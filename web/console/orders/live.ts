import { Unreachable } from '../../errors.ts';
import type { Board } from './board.ts';
import { fetchRevision, fetchSnapshot, type Order, type OrderEvent, watchOrders } from './operations.ts';

/** `live` by a stream of events; `polling` where there is none. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline';

export interface LiveOptions {
  readonly storeId: string;
  readonly board: Board;
  readonly onConnection: (connection: Connection) => void;
  /** Called with the new state of an order. */
  readonly onOrder: (order: Order) => void;
  /** Called when all orders were read again. */
  readonly onReload: () => void;
  /** Called when the board has changed. */
  readonly update: () => void;
  readonly fail: (error: unknown) => void;
}

/** How often the revision is read beside a stream, which may have been cut without a sign, and without one. */
const intervalMs = { streaming: 5000, polling: 1000 };
/** How long to wait before a stream that has ended is opened again. */
const reopenMs = 3000;

/**
 * Keeps a board current: a stream reports each change within milliseconds, and resumes where it was cut. Beside it the revision of the
 * orders is read; if it has changed without an event, or if there is no stream, the orders are read again.
 */
export function followOrders({ storeId, board, onConnection, onOrder, onReload, update, fail }: LiveOptions) {
  const closing = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reopenTimer: ReturnType<typeof setTimeout> | undefined;
  let stream: AbortController | undefined;
  let isStreaming = false;
  /** When the server could not be reached last. */
  let lostAt = 0;
  /** Where the stream resumes; undefined if the orders have to be read first. */
  let cursor: string | null | undefined;
  let revision: number | undefined;
  let hasEvents = false;
  let isOffline = false;
  let isChecking = false;
  /** Orders that were reported while a snapshot is read, which may be older. */
  let reported: Order[] | undefined;
  let reading: Promise<void> = Promise.resolve();
  let nextReading: Promise<void> | undefined;

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    clearTimeout(timer);
    try {
      await readChanges();
      // A stream does not notice by itself that the network is back.
      if (isOffline) closeStream();
      isOffline = false;
      openStream();
      showConnection();
    } catch (error) {
      if (closing.signal.aborted) return;
      if (!(error instanceof Unreachable)) return fail(error);
      isOffline = true;
      lostAt = Date.now();
      showConnection();
    } finally {
      isChecking = false;
    }
    if (closing.signal.aborted) return;
    timer = setTimeout(check, isStreaming && !isOffline ? intervalMs.streaming : intervalMs.polling);
  }

  function showConnection(): void {
    onConnection(isOffline ? 'offline' : isStreaming ? 'live' : stream ? 'connecting' : 'polling');
  }

  /** Reads the orders again if they have changed without an event. */
  async function readChanges(): Promise<void> {
    if (cursor === undefined) return reload();
    const current = (await fetchRevision({ store: storeId })).store?.ordersRevision;
    if (current !== revision && !hasEvents) return reload();
    revision = current;
    hasEvents = false;
  }

  /** Reads the orders again, after a reading that has begun already, whose orders may be older. */
  function reload(): Promise<void> {
    nextReading ??= reading
      .catch(() => {})
      .then(() => {
        nextReading = undefined;
        return readSnapshot();
      });
    reading = nextReading;
    return reading;
  }

  async function readSnapshot(): Promise<void> {
    reported = [];
    try {
      const snapshot = await fetchSnapshot(storeId);
      if (closing.signal.aborted) return;
      board.replace(snapshot, reported);
      revision = snapshot.revision;
      cursor ??= snapshot.cursor;
      hasEvents = false;
    } finally {
      reported = undefined;
    }
    onReload();
    update();
  }

  function openStream(): void {
    if (stream || reopenTimer !== undefined || closing.signal.aborted) return;
    const opened = new AbortController();
    stream = opened;
    let isUseful = false;
    const onOpen = (hasPassed: boolean) => {
      if (stream !== opened) return;
      isStreaming = true;
      showConnection();
      if (hasPassed) reload().catch(() => {});
    };
    const onData = ({ orderEvents: event }: { readonly orderEvents: OrderEvent }) => {
      isUseful = true;
      onEvent(event);
    };
    const end = () => {
      if (stream !== opened) return;
      stream = undefined;
      isStreaming = false;
      // Its cursor may be the reason, e.g. since it is too old.
      if (!isUseful) cursor = undefined;
      reopenTimer = setTimeout(() => {
        reopenTimer = undefined;
        check();
      }, reopenMs);
      showConnection();
    };
    const options = { signal: opened.signal, lostAt, onOpen, onData };
    watchOrders({ store: storeId, after: cursor ?? null }, options).then(end, end);
  }

  function closeStream(): void {
    stream?.abort();
    stream = undefined;
    isStreaming = false;
    clearTimeout(reopenTimer);
    reopenTimer = undefined;
  }

  function onEvent({ cursor: at, order, orderId }: OrderEvent): void {
    cursor = at;
    hasEvents = true;
    if (order) report(order);
    else if (orderId) board.remove(orderId);
    // Many orders were changed at once.
    else reload().catch(() => {});
    update();
  }

  function report(order: Order): void {
    reported?.push(order);
    board.apply(order);
    onOrder(order);
    update();
  }

  const checkAtOnce = () => {
    check();
  };
  addEventListener('online', checkAtOnce);
  addEventListener('offline', checkAtOnce);
  check();
  return {
    /** Shows the new state of an order, as a mutation returned it. */
    report,
    close(): void {
      closing.abort();
      closeStream();
      clearTimeout(timer);
      removeEventListener('online', checkAtOnce);
      removeEventListener('offline', checkAtOnce);
    },
  };
}
