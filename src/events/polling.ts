import { Forbidden, InvalidInput, Unauthenticated, Unavailable } from '@carte/base/errors';
import { checkRange } from '@carte/base/validation';
import type { Query } from '../database/query.ts';
import type { StoreEventsArgs } from '../generated/graph.ts';
import { type AccessScope, emptyScope, isInScope, isSold, readPermissionsOf, storeScope } from '../scope.ts';
import type { EventCursors } from './cursor.ts';
import type { Event } from './entities.ts';
import type { EventFeed } from './feed.ts';
import { type EventKind, eventKinds, readPermissionOf } from './kinds.ts';
import { EventsDeleted, type LogPage, type PageQuery, readPage } from './log.ts';
import { type HeldRequest, toClientError } from './source.ts';

/** The parent value of `EventPage`. */
export interface EventPage {
  readonly events: readonly PolledEvent[];
  readonly next: string;
  readonly hasMore: boolean;
}

/** The parent value of `Event`. */
export type PolledEvent = Event & { readonly cursor: string };

/** Keeps the current request open as one of the streams of its key; ends another one for the same subject. */
export type HoldRequest = <T>(subject: string, wait: (held: HeldRequest) => Promise<T>) => Promise<T>;

/** Waits until there is an event, for some seconds at most; returns the page, and the scope that the key had then. */
export type WaitForEvents = (
  query: Omit<PageQuery, 'scope'>,
  seconds: number,
) => Promise<{ readonly page: LogPage; readonly scope: AccessScope }>;

/** What polling takes from the context of a request. */
interface PollContext {
  readonly scope: AccessScope | undefined;
  readonly waitForEvents: WaitForEvents;
  /** The message that is rendered, and not a response. */
  readonly message?: { readonly id: string; readonly event: Event };
  readonly loaders: {
    readonly events: { readPage(query: PageQuery): Promise<LogPage>; readonly cursors: EventCursors };
    readonly stores: { readonly byId: { load(storeId: string): Promise<object | null> } };
    clear(scope: AccessScope): void;
  };
}

const maxLimit = 500;
const maxWaitSeconds = 25;

/** Finds the event of a message: the one that is rendered, or any in scope; null if there is none, or the log no longer has it. */
export async function findEventOfMessage(
  { scope = emptyScope, message, loaders }: PollContext,
  id: string,
): Promise<PolledEvent | null> {
  const { cursors } = loaders.events;
  const event = message?.id === id ? message.event : await findEvent(loaders.events, scope, id);
  if (!event) return null;
  const { events } = await cursors.ofPage({ field: 'events' }, [event], event.position);
  return events[0] ?? null;
}

async function findEvent({ readPage, cursors }: PollContext['loaders']['events'], scope: AccessScope, id: string) {
  const position = await cursors.positionOfMessage(id);
  if (position === undefined) return undefined;
  try {
    const page = await readPage({ after: position - 1, limit: 1, kinds: readableKinds(scope, undefined), scope });
    return page.events.find(event => event.position === position);
  } catch (error) {
    if (error instanceof EventsDeleted || error instanceof InvalidInput) return undefined;
    throw error;
  }
}

/** Reads a page of the events of a store; null if the store has left the scope while the request waited. */
export async function pollStoreEvents(
  context: PollContext,
  storeId: string,
  args: StoreEventsArgs,
): Promise<EventPage | null> {
  const page = await pollEvents(context, args, storeId);
  return page.events.length === 0 || (await context.loaders.stores.byId.load(storeId)) ? page : null;
}

/** Reads a page of the events of a store or, without its id, of all stores in scope. */
export async function pollEvents(context: PollContext, args: StoreEventsArgs, storeId?: string): Promise<EventPage> {
  const { scope = emptyScope, loaders } = context;
  const { cursors } = loaders.events;
  const { limit, waitSeconds } = args;
  const errors = [
    ...checkRange(['limit'], limit, { min: 1, max: maxLimit }),
    ...checkRange(['waitSeconds'], waitSeconds, { min: 0, max: maxWaitSeconds }),
  ];
  if (errors.length > 0) throw new InvalidInput(errors);
  const pages = { field: 'events', ...(storeId !== undefined && { storeId }) } as const;
  const after = args.after == null ? undefined : await cursors.read(pages, args.after);
  const query = { after, limit, kinds: readableKinds(scope, args.kinds), storeId };
  try {
    let page = await loaders.events.readPage({ ...query, scope });
    if (waitSeconds > 0 && isEmpty(page)) {
      // From the end of the log as it was read, so that no event is missed before the feed is there.
      const waited = await context.waitForEvents({ ...query, after: after ?? page.next }, waitSeconds);
      page = waited.page;
      // What was loaded before is older than the events.
      loaders.clear(waited.scope);
    }
    return { ...(await cursors.ofPage(pages, page.events, page.next)), hasMore: page.hasMore };
  } catch (error) {
    throw toClientError(error);
  }
}

/** The kinds that are given or, without any, all that the key may read; throws `Forbidden` for one that it may not. */
function readableKinds(scope: AccessScope, given: StoreEventsArgs['kinds']): readonly EventKind[] {
  const granted = readPermissionsOf(scope);
  const isReadable = (kind: EventKind) => granted.includes(readPermissionOf(kind));
  if (!given) return eventKinds.filter(isReadable);
  const kinds = [...new Set(given)];
  const refused = kinds.filter(kind => !isReadable(kind));
  if (refused.length === 0) return kinds;
  throw new Forbidden(
    `This API key has ${granted.join(', ')}, and may not read events of the kinds ${refused.join(', ')}.`,
  );
}

const isEmpty = ({ events, hasMore }: LogPage) => events.length === 0 && !hasMore;

/** Waits by the feed: the log is read when a request begins to wait, and when the feed has an event for it. */
export function createEventWaiting(feed: EventFeed, query: Query, hold: HoldRequest): WaitForEvents {
  const wait = async ({ after, ...filter }: Omit<PageQuery, 'scope'>, seconds: number, held: HeldRequest) => {
    const { signal } = held;
    const isWanted = ({ kind, storeId, merchantId }: Event) =>
      filter.kinds.includes(kind) &&
      (filter.storeId !== undefined || isInScope(storeScope, held.scope, { id: storeId, merchant: merchantId }));
    let due = Promise.withResolvers<'due'>();
    const end = Promise.withResolvers<'timeout' | 'aborted'>();
    const abort = () => end.resolve('aborted');
    const timer = setTimeout(() => end.resolve('timeout'), seconds * 1_000);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    const unsubscribe = feed.subscribe({
      storeId: filter.storeId,
      onEvents: events => events.some(isWanted) && due.resolve('due'),
      onGap: () => due.resolve('due'),
      onClose: abort,
    });
    try {
      const position = await Promise.race([feed.ready(), end.promise]);
      const start = after ?? position;
      // While the database is unavailable, the feed is not ready.
      if (typeof start !== 'number') throw new Unavailable('The event log cannot be read at the moment.');
      for (;;) {
        due = Promise.withResolvers();
        let page = await readPage(query, { ...filter, after: start, scope: held.scope });
        if (page.events.some(({ storeId, merchantId }) => isSold(held.scope, storeId, merchantId))) {
          await held.renew();
          page = await readPage(query, { ...filter, after: start, scope: held.scope });
        }
        const reason = isEmpty(page) ? await Promise.race([due.promise, end.promise]) : 'found';
        if (signal.reason instanceof Unauthenticated) throw signal.reason;
        if (reason === 'aborted') return { page: { ...page, next: start }, scope: held.scope };
        if (reason !== 'due') return { page, scope: held.scope };
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      unsubscribe();
    }
  };
  return (page, seconds) => hold(page.storeId ?? '', held => wait(page, seconds, held));
}
