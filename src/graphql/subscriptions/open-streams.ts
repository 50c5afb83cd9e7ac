import { TooManyRequests, Unauthenticated, Unavailable } from '@carte/base/errors';
import { shareRun } from '../../scheduling/batch-schedule.ts';
import type { Share } from '../../scheduling/current-request.ts';
import type { AccessScope, Caller } from '../../scope.ts';

/** `poll`: a request that waits for events. */
export type Transport = 'sse' | 'websocket' | 'poll';

export type StreamEnd =
  | 'complete'
  | 'closed by the client'
  | 'replaced'
  | 'key no longer valid'
  | 'reader too slow'
  | 'shutdown'
  | 'error';

export interface OpenStreamsOptions {
  /** Streams of one key, of one guest, and of all, in this process; guests have at most half of them. */
  readonly limits: { readonly perKey: number; readonly perAddress: number; readonly total: number };
  /** Authenticates a key afresh, not from the cache. */
  readonly renew: (key: string) => Promise<Caller>;
  readonly onClosed: (stream: OpenStream, end: StreamEnd) => void;
}

/** More often than keys are cached for, so that streams end no later than a revoked key stops working elsewhere. */
const renewalMs = 1_000;

/** Ends a stream for good when the process shuts down: its client connects again, to another process. */
export class ShuttingDown extends Error {}

interface KeyStreams {
  caller: Caller;
  readonly streams: Set<OpenStream>;
}

export type OpenStreams = ReturnType<typeof createOpenStreams>;

/** The streams of this process: bounds their number, and ends those of keys that are no longer valid. */
export function createOpenStreams({ limits, renew, onClosed }: OpenStreamsOptions) {
  const { perKey, perAddress, total } = limits;
  const byKey = new Map<string, KeyStreams>();
  const counts: Record<Transport, number> = { sse: 0, websocket: 0, poll: 0 };
  let guests = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function remove(key: string, ofKey: KeyStreams, stream: OpenStream, end: StreamEnd): void {
    if (!ofKey.streams.delete(stream)) return;
    counts[stream.transport] -= 1;
    if (stream.share.isGuest) guests -= 1;
    if (ofKey.streams.size === 0 && byKey.get(key) === ofKey) byKey.delete(key);
    if (byKey.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    onClosed(stream, end);
  }

  // While the database is unavailable there are no events either.
  const renewAll = shareRun(() => Promise.allSettled([...byKey].map(([key, ofKey]) => renewKey(key, ofKey))));

  async function renewKey(key: string, ofKey: KeyStreams): Promise<void> {
    try {
      ofKey.caller = await renew(key);
    } catch (error) {
      if (error instanceof Unauthenticated) for (const stream of [...ofKey.streams]) stream.abort(error);
      throw error;
    }
  }

  return {
    counts,
    /** Registers a stream; throws beyond a limit. */
    open(key: string, caller: Caller, transport: Transport, share: Share): OpenStream {
      if (isClosed) throw new Unavailable('The service is shutting down.', { retryAfterSeconds: 1 });
      const all = counts.sse + counts.websocket + counts.poll;
      if (all >= total || (share.isGuest && guests >= total / 2)) {
        throw new Unavailable(`This process has ${total} streams open, and does not open more.`);
      }
      const ofKey = byKey.get(key) ?? { caller, streams: new Set() };
      if (!share.isGuest && ofKey.streams.size >= perKey) {
        throw new TooManyRequests(`This API key has ${perKey} streams open; close one to open another.`);
      }
      const ofGuest = share.isGuest ? [...ofKey.streams].filter(stream => stream.share.id === share.id) : [];
      if (ofGuest.length >= perAddress) {
        throw new TooManyRequests(`An address may have ${perAddress} streams open with a publishable key.`);
      }
      const stream: OpenStream = createStream(ofKey, {
        transport,
        share,
        renew: () => renewKey(key, ofKey),
        close: end => remove(key, ofKey, stream, end),
      });
      byKey.set(key, ofKey);
      ofKey.streams.add(stream);
      counts[transport] += 1;
      if (share.isGuest) guests += 1;
      timer ??= setInterval(() => void renewAll(), renewalMs).unref();
      return stream;
    },
    /** Ends all streams; no more are opened. */
    close(): void {
      isClosed = true;
      for (const { streams } of byKey.values()) for (const stream of [...streams]) stream.abort(new ShuttingDown());
    },
  };
}

interface Registration {
  readonly transport: Transport;
  readonly share: Share;
  /** Reads the scope of its key, not only every second. */
  readonly renew: () => Promise<void>;
  /** Removes the stream from the count. */
  readonly close: (end: StreamEnd) => void;
}

/** One stream, from its registration to its end. */
export type OpenStream = ReturnType<typeof createStream>;

function createStream(key: { readonly caller: Caller }, registration: Registration) {
  const controller = new AbortController();
  const openedAt = performance.now();
  return {
    ...registration,
    /** Aborted to end the stream; its reason is an error to report to the client, `ShuttingDown`, or another if the client has left. */
    signal: controller.signal,
    /** Until when the service has held an event back, for its costs or while it was executed; infinite while it does. */
    heldUntil: 0,
    /** The root field, for the log. */
    field: 'unknown',
    events: 0,
    get keyId(): string {
      return key.caller.keyId;
    },
    /** The scope of the key now. */
    get scope(): AccessScope {
      return key.caller.scope;
    },
    get seconds(): number {
      return (performance.now() - openedAt) / 1_000;
    },
    /** Takes note that the reader waits for the service meanwhile. */
    async hold<T>(work: () => Promise<T>): Promise<T> {
      this.heldUntil = Number.POSITIVE_INFINITY;
      try {
        return await work();
      } finally {
        this.heldUntil = performance.now();
      }
    },
    abort: (reason: Error): void => controller.abort(reason),
  };
}
