import { TooManyRequests, Unauthenticated, Unavailable } from '@carte/base/errors';
import type { Share } from '../../scheduling/current-request.ts';
import type { AccessScope } from '../../scope.ts';

/** The authenticated key of a stream. */
export interface StreamCaller {
  readonly keyId: string;
  readonly scope: AccessScope;
}

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
  readonly renew: (key: string) => Promise<StreamCaller>;
  readonly onClosed: (stream: OpenStream, end: StreamEnd) => void;
}

/** More often than keys are cached for, so that streams end no later than a revoked key stops working elsewhere. */
const renewalMs = 1_000;

/** Ends a stream for good when the process shuts down: its client connects again, to another process. */
export class ShuttingDown extends Error {}

interface KeyStreams {
  caller: StreamCaller;
  readonly streams: Set<OpenStream>;
}

/** The streams of this process: bounds their number, and ends those of keys that are no longer valid. */
export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #byKey = new Map<string, KeyStreams>();
  readonly counts: Record<Transport, number> = { sse: 0, websocket: 0, poll: 0 };
  #guests = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;
  #isClosed = false;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  /** Registers a stream; throws beyond a limit. */
  open(key: string, caller: StreamCaller, transport: Transport, share: Share): OpenStream {
    const { perKey, perAddress, total } = this.#options.limits;
    if (this.#isClosed) throw new Unavailable('The service is shutting down.', { retryAfterSeconds: 1 });
    const all = this.counts.sse + this.counts.websocket + this.counts.poll;
    if (all >= total || (share.isGuest && this.#guests >= total / 2)) {
      throw new Unavailable(`This process has ${total} streams open, and does not open more.`);
    }
    const ofKey = this.#byKey.get(key) ?? { caller, streams: new Set() };
    if (!share.isGuest && ofKey.streams.size >= perKey) {
      throw new TooManyRequests(`This API key has ${perKey} streams open; close one to open another.`);
    }
    const ofGuest = share.isGuest ? [...ofKey.streams].filter(stream => stream.share.id === share.id) : [];
    if (ofGuest.length >= perAddress) {
      throw new TooManyRequests(`An address may have ${perAddress} streams open with a publishable key.`);
    }
    const stream = new OpenStream(ofKey, {
      transport,
      share,
      renew: () => this.#renewKey(key, ofKey),
      close: end => this.#remove(key, ofKey, stream, end),
    });
    this.#byKey.set(key, ofKey);
    ofKey.streams.add(stream);
    this.counts[transport] += 1;
    if (share.isGuest) this.#guests += 1;
    this.#timer ??= setInterval(() => void this.#renew(), renewalMs).unref();
    return stream;
  }

  /** Ends all streams; no more are opened. */
  close(): void {
    this.#isClosed = true;
    for (const { streams } of this.#byKey.values()) for (const stream of [...streams]) stream.abort(new ShuttingDown());
  }

  #remove(key: string, ofKey: KeyStreams, stream: OpenStream, end: StreamEnd): void {
    if (!ofKey.streams.delete(stream)) return;
    this.counts[stream.transport] -= 1;
    if (stream.share.isGuest) this.#guests -= 1;
    if (ofKey.streams.size === 0 && this.#byKey.get(key) === ofKey) this.#byKey.delete(key);
    if (this.#byKey.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#options.onClosed(stream, end);
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    // While the database is unavailable there are no events either.
    await Promise.allSettled([...this.#byKey].map(([key, ofKey]) => this.#renewKey(key, ofKey)));
    this.#isRenewing = false;
  }

  async #renewKey(key: string, ofKey: KeyStreams): Promise<void> {
    try {
      ofKey.caller = await this.#options.renew(key);
    } catch (error) {
      if (error instanceof Unauthenticated) for (const stream of [...ofKey.streams]) stream.abort(error);
      throw error;
    }
  }
}

/** One stream, from its registration to its end. */
export class OpenStream {
  readonly transport: Transport;
  readonly share: Share;
  /** Reads the scope of its key, not only every second. */
  readonly renew: () => Promise<void>;
  /** Removes the stream from the count. */
  readonly close: (end: StreamEnd) => void;
  readonly #key: KeyStreams;
  readonly #controller = new AbortController();
  /** Aborted to end the stream; its reason is an error to report to the client, `ShuttingDown`, or another if the client has left. */
  readonly signal = this.#controller.signal;
  readonly #openedAt = performance.now();
  /** Until when the service has held an event back, for its costs or while it was executed; infinite while it does. */
  heldUntil = 0;
  /** The root field, for the log. */
  field = 'unknown';
  events = 0;

  constructor(key: KeyStreams, options: Pick<OpenStream, 'transport' | 'share' | 'renew' | 'close'>) {
    this.#key = key;
    this.transport = options.transport;
    this.share = options.share;
    this.renew = options.renew;
    this.close = options.close;
  }

  get keyId(): string {
    return this.#key.caller.keyId;
  }

  /** The scope of the key now. */
  get scope(): AccessScope {
    return this.#key.caller.scope;
  }

  get seconds(): number {
    return (performance.now() - this.#openedAt) / 1_000;
  }

  /** Takes note that the reader waits for the service meanwhile. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.heldUntil = Number.POSITIVE_INFINITY;
    try {
      return await work();
    } finally {
      this.heldUntil = performance.now();
    }
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }
}
