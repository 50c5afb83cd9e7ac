import { InvalidInput } from '@carte/base/errors';
import { retryWhileUnavailable } from '../database/errors.ts';
import type {
  SubscriptionGuestOrderEventsArgs,
  SubscriptionOrderEventsArgs,
  SubscriptionStoreEventsArgs,
} from '../generated/graph.ts';
import type { Order } from '../order/entities.ts';
import { untilAborted } from '../scheduling/until-aborted.ts';
import { type AccessScope, isInScope, isSold, storeScope } from '../scope.ts';
import type { Store } from '../store/entities.ts';
import type { EventCursors, StreamId } from './cursor.ts';
import type { GuestOrderEvent } from './entities.ts';
import { type EventKind, orderEventKinds, storeEventKinds } from './kinds.ts';
import { type EventFilter, EventsDeleted, isDeletedSince, timeOf } from './log.ts';
import { EventStream, type StreamedEvent, type StreamOptions } from './stream.ts';

export type EventSource = ReturnType<typeof createEventSource>;

export interface EventSourceOptions extends Pick<StreamOptions, 'feed' | 'query' | 'maxBuffered' | 'maxStallMs'> {
  readonly cursors: EventCursors;
}

/** A request that stays open for events. */
export interface HeldRequest {
  /** The scope of its key, as it was at most some seconds ago. */
  readonly scope: AccessScope;
  /** Reads the scope of its key. */
  readonly renew: () => Promise<void>;
  /** Aborted to end it; the reason is `Unauthenticated` if the key is no longer valid. */
  readonly signal: AbortSignal;
}

/** The subscription that reads the events. */
interface Subscriber extends HeldRequest {
  /** Until when the service has held its events back, rather than the client. */
  readonly heldUntil: number;
  /** The field that it selects. */
  field: string;
}

interface SourceOptions extends EventSourceOptions {
  /** The cursor where an interrupted stream goes on, whatever its `after` is. */
  readonly lastEventId: string | undefined;
  /** Loads a store in scope. */
  readonly loadStore: (storeId: string) => Promise<Store | null>;
  /** Loads the order of a token that has not ended. */
  readonly loadGuestOrder: (token: string) => Promise<Order | null>;
}

/** Opens the streams of one subscription, in the scope that its key has when an event is delivered. */
export function createEventSource(options: SourceOptions, subscriber: Subscriber) {
  const { signal } = subscriber;

  /** Resolves once the stream has its starting point, so that a client that sees it opened misses nothing from then on. */
  async function open(filter: EventFilter, after: number | undefined): Promise<EventStream> {
    const events = new EventStream({ ...options, after, heldUntil: () => subscriber.heldUntil, filter });
    const end = () => void events.return();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      // While the database is unavailable, the stream is not opened.
      await untilAborted(signal, events.opened);
    } catch (error) {
      throw toClientError(error);
    }
    return events;
  }

  async function startOf(stream: StreamId, given: string | null | undefined): Promise<number | undefined> {
    const cursor = options.lastEventId ?? given;
    return cursor == null ? undefined : options.cursors.read(stream, cursor);
  }

  async function requireStore(storeId: string): Promise<Store> {
    const store = await options.loadStore(storeId);
    if (!store) throw noStore(storeId);
    return store;
  }

  /**
   * A moved store has an event of its own, at which the store is looked up again. A deleted one ends the stream, since the next store with its
   * id is another one.
   */
  async function* whileInScope(events: AsyncIterable<StreamedEvent>, first: Store): AsyncGenerator<StreamedEvent> {
    let store = first;
    for await (const event of events) {
      if (event.kind === 'STORE_DELETED') throw noStore(store.id);
      if (isOfStore(event) || !isInScope(storeScope, subscriber.scope, store)) {
        const { id } = store;
        store = await retryWhileUnavailable(() => requireStore(id), signal);
      }
      if (!isOfStore(event)) yield event;
    }
  }

  /** A deleted store cannot be looked up, so the event itself says whose store it was. */
  async function* ofStoresInScope(events: AsyncIterable<StreamedEvent>): AsyncGenerator<StreamedEvent> {
    for await (const event of events) {
      if (isOfMerchantInScope(event) || (await isOfGrantedStore(event))) yield event;
    }
  }

  /** A grant is to the store that has the id now, not to those that had it before, and ends when the store is sold. */
  async function isOfGrantedStore({ storeId, merchantId, position }: StreamedEvent): Promise<boolean> {
    const isGranted = () => subscriber.scope.storeIds.includes(storeId);
    if (!isGranted()) return false;
    // The scope may be older than the sale.
    if (isSold(subscriber.scope, storeId, merchantId)) await retryWhileUnavailable(subscriber.renew, signal);
    const isDeleted = () => isDeletedSince(options.query, storeId, position);
    return isGranted() && !(await retryWhileUnavailable(isDeleted, signal));
  }

  const isOfMerchantInScope = ({ merchantId }: StreamedEvent) =>
    subscriber.scope.all || (merchantId !== null && subscriber.scope.merchantIds.includes(merchantId));

  async function requireGuestOrder(token: string): Promise<Order> {
    const order = await options.loadGuestOrder(token);
    if (order) return order;
    const message = 'there is no order with this token of the API key, or the token has ended';
    throw new InvalidInput([{ path: ['token'], type: 'value_error', message }]);
  }

  async function* withGuestOrder(
    events: AsyncIterable<StreamedEvent>,
    token: string,
  ): AsyncGenerator<StreamedEvent & GuestOrderEvent> {
    for await (const event of events) {
      yield { ...event, order: await retryWhileUnavailable(() => requireGuestOrder(token), signal) };
    }
  }

  async function ofStore(
    field: 'orderEvents' | 'menuEvents' | 'guestOrderEvents',
    kinds: readonly EventKind[],
    { storeId, after }: SubscriptionOrderEventsArgs,
    orderId?: string,
  ): Promise<AsyncIterable<StreamedEvent>> {
    subscriber.field = field;
    await requireStore(storeId);
    const start = await startOf({ field, storeId }, after);
    const events = await open({ storeId, kinds: [...kinds, ...storeEventKinds], orderId }, start);
    try {
      // Again, since it may have left the scope before the stream was opened.
      const store = await requireStore(storeId);
      if (start !== undefined && (await isDeletedSince(options.query, storeId, start))) throw formerStore(storeId);
      return translated(whileInScope(events, store));
    } catch (error) {
      await events.return();
      throw error;
    }
  }

  return {
    /** Throws `InvalidInput` if no such store is in scope, and later when it has left the scope. */
    ofStore,
    /** Throws `InvalidInput` unless the token has an order, and at an event that follows its end. */
    async ofGuestOrder({
      token,
      after = null,
    }: SubscriptionGuestOrderEventsArgs): Promise<AsyncIterable<GuestOrderEvent>> {
      const { id: orderId, store: storeId } = await requireGuestOrder(token);
      const events = await ofStore('guestOrderEvents', orderEventKinds, { storeId, after }, orderId);
      return withGuestOrder(events, token);
    },
    /** Events of the stores in scope themselves. */
    async ofScope({ after }: SubscriptionStoreEventsArgs): Promise<AsyncIterable<StreamedEvent>> {
      subscriber.field = 'storeEvents';
      const stream = { field: 'storeEvents' } as const;
      return translated(ofStoresInScope(await open({ kinds: storeEventKinds }, await startOf(stream, after))));
    },
  };
}

const isOfStore = ({ kind }: StreamedEvent) => storeEventKinds.some(storeKind => storeKind === kind);

async function* translated(events: AsyncIterable<StreamedEvent>): AsyncGenerator<StreamedEvent> {
  try {
    yield* events;
  } catch (error) {
    throw toClientError(error);
  }
}

/** The log begins with an event of anybody. */
const nextMinute = (position: number) => Math.ceil(position / 60_000_000) * 60_000_000;

/** Translates the error of a reader whose cursor is too old. */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof EventsDeleted)) return error;
  const message =
    `the events after this cursor are no longer kept, only those after ${timeOf(nextMinute(error.completeAfter))}: ` +
    'begin without "after", then read the current state';
  return new InvalidInput([{ path: ['after'], type: 'cursor_expired', message }]);
}

function formerStore(storeId: string): InvalidInput {
  const message =
    `is a cursor of a store "${storeId}" that was deleted, and another one has its id now: ` +
    'begin without "after", then read the current state';
  return new InvalidInput([{ path: ['after'], type: 'cursor_expired', message }]);
}

/** The same for a store that does not exist. */
function noStore(storeId: string): InvalidInput {
  const message = `no store with the id "${storeId}" is in the scope of the API key`;
  return new InvalidInput([{ path: ['storeId'], type: 'value_error', message }]);
}
