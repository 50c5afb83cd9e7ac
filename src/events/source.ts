import { type AccessScope, isInScope, storeScope } from '../auth/scope.ts';
import { retryWhileUnavailable } from '../database/availability.ts';
import type { Query } from '../database/query.ts';
import { InvalidInput, StreamCut } from '../errors.ts';
import type { Store } from '../store/entities.ts';
import { decodeEventCursor, type StreamField, type StreamId } from './cursor.ts';
import type { EventKind } from './entities.ts';
import type { EventFeed } from './feed.ts';
import { EventsDeleted, timeOf } from './log.ts';
import { PositionInFuture, ReaderTooSlow, type StreamedEvent, streamEvents } from './stream.ts';

/** Opens the streams of one subscription, in the scope that its key has when an event is delivered. */
export interface EventSource {
  /** Throws `InvalidInput` if no such store is in scope, and later when it has left the scope. */
  ofStore(
    field: 'orderEvents' | 'menuEvents',
    kinds: readonly EventKind[],
    args: { readonly storeId: string; readonly after?: string | null },
  ): Promise<AsyncIterable<StreamedEvent>>;
  /** Events of the stores in scope themselves. */
  ofScope(args: { readonly after?: string | null }): Promise<AsyncIterable<StreamedEvent>>;
}

export interface EventSourceOptions {
  readonly feed: EventFeed;
  readonly query: Query;
  /** Events that wait in memory for a slow reader, which is cut if it takes none for so long. */
  readonly maxBuffered: number;
  readonly maxStallMs: number;
}

/** The subscription that reads the events. */
export interface Subscriber {
  /** The scope of its key now. */
  readonly scope: AccessScope;
  /** Until when the service has held its events back, rather than the client. */
  readonly heldUntil: () => number;
  /** Ends its streams. */
  readonly signal: AbortSignal;
  /** The cursor where an interrupted stream goes on, whatever its `after` is. */
  readonly lastEventId: string | undefined;
  /** Called with the field that the subscription selects. */
  readonly onField: (field: StreamField) => void;
  /** Loads a store in scope. */
  loadStore(storeId: string): Promise<Store | null>;
}

const storeKinds = ['STORE_CREATED', 'STORE_CHANGED', 'STORE_DELETED'] as const;

export function createEventSource(options: EventSourceOptions, subscriber: Subscriber): EventSource {
  const { signal } = subscriber;

  /** Resolves once the stream has its starting point, so that a client that sees it opened misses nothing from then on. */
  async function open(
    stream: StreamId,
    kinds: readonly EventKind[],
    given: string | null | undefined,
  ): Promise<AsyncIterable<StreamedEvent>> {
    const cursor = subscriber.lastEventId ?? given;
    const after = cursor == null ? undefined : decodeEventCursor(stream, cursor);
    const events = streamEvents({
      ...options,
      after,
      heldUntil: subscriber.heldUntil,
      filter: { storeId: stream.storeId, kinds },
    });
    const aborted = Promise.withResolvers<never>();
    const end = () => {
      void events.return();
      aborted.reject(signal.reason);
    };
    aborted.promise.catch(() => {});
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      // While the database is unavailable, the stream is not opened.
      await Promise.race([events.opened, aborted.promise]);
    } catch (error) {
      throw toClientError(error);
    }
    return events;
  }

  async function requireStore(storeId: string): Promise<Store> {
    const store = await subscriber.loadStore(storeId);
    if (!store) throw noStore(storeId);
    return store;
  }

  /** A moved or deleted store has an event of its own, at which the store is looked up again. */
  async function* whileInScope(events: AsyncIterable<StreamedEvent>, first: Store): AsyncGenerator<StreamedEvent> {
    let store = first;
    for await (const event of events) {
      if (isOfStore(event)) {
        store = await retryWhileUnavailable(() => requireStore(store.id), signal);
      } else {
        if (!isInScope(storeScope, subscriber.scope, store)) throw noStore(store.id);
        yield event;
      }
    }
  }

  /** A deleted store cannot be looked up, so the event itself says whose store it was. */
  async function* ofStoresInScope(events: AsyncIterable<StreamedEvent>): AsyncGenerator<StreamedEvent> {
    for await (const event of events) {
      if (isInScope(storeScope, subscriber.scope, { id: event.storeId, merchant: event.merchantId })) yield event;
    }
  }

  return {
    async ofStore(field, kinds, { storeId, after }) {
      subscriber.onField(field);
      await requireStore(storeId);
      const events = await open({ field, storeId }, [...kinds, ...storeKinds], after);
      // Again, since it may have left the scope before the stream was opened.
      return translated(whileInScope(events, await requireStore(storeId)));
    },
    async ofScope({ after }) {
      subscriber.onField('storeEvents');
      return translated(ofStoresInScope(await open({ field: 'storeEvents' }, storeKinds, after)));
    },
  };
}

const isOfStore = ({ kind }: StreamedEvent) => storeKinds.some(storeKind => storeKind === kind);

async function* translated(events: AsyncIterable<StreamedEvent>): AsyncGenerator<StreamedEvent> {
  try {
    yield* events;
  } catch (error) {
    throw toClientError(error);
  }
}

function toClientError(error: unknown): unknown {
  if (error instanceof ReaderTooSlow) {
    return new StreamCut(`${error.message} Subscribe again with the cursor of the last event.`, { cause: error });
  }
  if (error instanceof PositionInFuture) {
    const message = `is a cursor of the future: ${error.message}`;
    return new InvalidInput([{ path: ['after'], type: 'value_error', message }]);
  }
  if (!(error instanceof EventsDeleted)) return error;
  const message =
    `the events after this cursor are no longer kept, only those after ${timeOf(error.completeAfter)}: ` +
    'subscribe without "after", then query the current state';
  return new InvalidInput([{ path: ['after'], type: 'cursor_expired', message }]);
}

/** The same for a store that does not exist. */
function noStore(storeId: string): InvalidInput {
  const message = `no store with the id "${storeId}" is in the scope of the API key`;
  return new InvalidInput([{ path: ['storeId'], type: 'value_error', message }]);
}
