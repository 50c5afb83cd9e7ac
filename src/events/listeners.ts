import type { Event } from './entities.ts';
import type { EventsDeleted } from './log.ts';

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

/** The listeners of a feed, by the store whose events they get. They may remove themselves when they are called. */
export class FeedListeners {
  readonly #byStore = new Map<string | undefined, Set<FeedListener>>();

  get isEmpty(): boolean {
    return this.#byStore.size === 0;
  }

  /** Returns the function that removes the listener. */
  add(listener: FeedListener): () => void {
    const { storeId } = listener;
    const ofStore = this.#byStore.get(storeId) ?? new Set();
    this.#byStore.set(storeId, ofStore.add(listener));
    return () => {
      ofStore.delete(listener);
      if (ofStore.size === 0 && this.#byStore.get(storeId) === ofStore) this.#byStore.delete(storeId);
    };
  }

  all(): FeedListener[] {
    return [...this.#byStore.values()].flatMap(ofStore => [...ofStore]);
  }

  deliver(events: readonly Event[]): void {
    if (events.length === 0) return;
    for (const { onEvents } of this.#of(undefined)) onEvents(events);
    for (const [storeId, ofStore] of Map.groupBy(events, event => event.storeId)) {
      for (const { onEvents } of this.#of(storeId)) onEvents(ofStore);
    }
  }

  #of(storeId: string | undefined): FeedListener[] {
    return [...(this.#byStore.get(storeId) ?? [])];
  }
}
