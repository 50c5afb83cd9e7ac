import { InvalidInput } from '@carte/base/errors';
import { prepared, preparedFirst, type Query } from '../database/query.ts';
import type { AccessScope } from '../scope.ts';
import type { Event } from './entities.ts';
import type { EventKind, keyEventKind } from './kinds.ts';

export interface EventFilter {
  readonly storeId?: string | undefined;
  readonly kinds?: readonly (EventKind | typeof keyEventKind)[] | undefined;
  /** One of the store: its events, and those that are of no single order. */
  readonly orderId?: string | undefined;
}

/** Events after a position were deleted: docs/webhooks-and-events.md#retention. */
export class EventsDeleted extends Error {
  readonly completeAfter: number;

  constructor(after: number, completeAfter: number) {
    super(`The log no longer has all events after ${timeOf(after)}, only those after ${timeOf(completeAfter)}.`);
    this.completeAfter = completeAfter;
  }
}

/** By so much a position may be ahead of the end of the log and of the clock: positions are times, and clocks differ. */
const maxAheadMicroseconds = 60_000_000;

/** The error of a cursor whose position a log with this end cannot have reached. */
export function checkPosition(after: number, end: number): InvalidInput | undefined {
  if (after <= Math.max(end, Date.now() * 1_000) + maxAheadMicroseconds) return undefined;
  const message = `is a cursor of the future: the position ${timeOf(after)} is beyond the end of the log`;
  return new InvalidInput([{ path: ['after'], type: 'value_error', message }]);
}

/** The time that a position stands for. */
export const timeOf = (position: number): string => new Date(position / 1_000).toISOString();

/** SQL of the position that is so many seconds after a time. */
export const positionAt = (time: string, seconds = 0) =>
  `((extract(epoch from ${time}) + ${seconds}) * 1000000)::bigint`;

/** SQL of the last position that the clock can have given; those after it were given while a clock was ahead, or follow such a one. */
export const lastPossible = positionAt('now()', 60);

type EventRow = { readonly completeAfter: number } & (Event | { readonly position: null });

const columns = `id, position, created_at as "createdAt", kind, store_id as "storeId", merchant_id as "merchantId",
  order_id as "orderId", status_before as "statusBefore", status, menu_revision as "menuRevision"`;

const prepareFiltered = preparedFirst(Number.POSITIVE_INFINITY);

/** Kinds are literals, so that the planner can use the index of the rare ones; there are few combinations. */
function statementFor({ storeId, kinds, orderId }: EventFilter): string {
  const order = orderId === undefined ? '' : 'and (order_id = $4 or order_id is null)';
  const store = storeId === undefined ? '' : `and store_id = $3 ${order}`;
  const condition = kinds ? `${store} and kind in (${kinds.map(kind => `'${kind}'`).join(', ')})` : store;
  // One snapshot of the events and of the start of the log, so that no event can be deleted in between.
  return prepareFiltered(`
    select log.complete_after as "completeAfter", page.* from event_log log
    left join lateral (
      select ${columns} from event where position > $1 ${condition} order by event.position limit $2
    ) page on true
    order by page.position`);
}

/** Reads events in the order of their positions; throws `EventsDeleted` if some after `after` may be missing. */
export async function readEvents(
  query: Query,
  { after, limit, ...filter }: EventFilter & { readonly after: number; readonly limit: number },
): Promise<Event[]> {
  const values = [after, limit, ...[filter.storeId, filter.orderId].filter(id => id !== undefined)];
  const rows = await query<EventRow>(statementFor(filter), values);
  const completeAfter = rows[0]?.completeAfter ?? 0;
  if (after < completeAfter) throw new EventsDeleted(after, completeAfter);
  return rows.flatMap(({ completeAfter: _, ...event }) => (event.position === null ? [] : [event]));
}

/** The position of the last event: every event that commits from now on is after it. */
export async function currentPosition(query: Query): Promise<number> {
  const [row] = await query<{ readonly position: number }>(currentStatement, []);
  return row?.position ?? 0;
}

const currentStatement = prepared(
  'select greatest(complete_after, (select max(position) from event)) as position from event_log',
);

/** Whether a store with this id was deleted at a position or later: events up to the deletion are not of the store that has the id now. */
export async function isDeletedSince(query: Query, storeId: string, position: number): Promise<boolean> {
  const [row] = await query<{ readonly isDeleted: boolean }>(deletionStatement, [storeId, position]);
  return row?.isDeleted === true;
}

/** A deletion that is not in the log yet will be after any position. */
const deletionStatement = prepared(`
  select exists (
    select from event where store_id = $1 and position >= $2 and kind = 'STORE_DELETED'
    union all
    select from event_inbox where store_id = $1 and kind = 'STORE_DELETED'
  ) as "isDeleted"`);

export interface PageQuery {
  /** The end of the log if undefined. */
  readonly after: number | undefined;
  readonly limit: number;
  readonly kinds: readonly EventKind[];
  /** Only events of this store, which is in scope; of all stores in scope if undefined. */
  readonly storeId?: string | undefined;
  readonly scope: AccessScope;
}

export interface LogPage {
  readonly events: readonly Event[];
  /** The position after which the next page begins. */
  readonly next: number;
  /** Whether the next page may have events already. */
  readonly hasMore: boolean;
}

/** Events that one statement looks at: those of other stores and kinds count. */
const maxScanned = 5_000;
/** Statements of one page. */
const maxScans = 20;

/**
 * One snapshot of the log. A grant is to the store that has the id now, so events of a store that had it before are left out; events know the
 * merchant of that time.
 */
const pageStatement = (ofStore: string) =>
  prepared(`
    with log as materialized (
      select complete_after, greatest(complete_after, (select max(position) from event)) as last_position from event_log
    ), scanned as materialized (
      select ${columns} from event where position > $1 ${ofStore} order by event.position limit ${maxScanned}
    )
    select log.complete_after as "completeAfter", log.last_position as "end",
      case when (select count(*) from scanned) < ${maxScanned} then log.last_position
        else (select max(scanned.position) from scanned) end as "scannedTo",
      page.*
    from log left join lateral (
      select * from scanned
      where kind = any($3) and ($4 or "merchantId" = any($5) or "storeId" = any($6) and not exists (
        select from event later
        where later.store_id = scanned."storeId" and later.position >= scanned.position and later.kind = 'STORE_DELETED'
        union all
        select from event_inbox later where later.store_id = scanned."storeId" and later.kind = 'STORE_DELETED'
      ))
      order by scanned.position limit $2
    ) page on true
    order by page.position`);

const ofAll = pageStatement('');
const ofOne = pageStatement('and store_id = $7');

type PageRow = EventRow & { readonly end: number; readonly scannedTo: number };

/** Reads a page of events; throws `EventsDeleted` if some after `after` may be missing, and `InvalidInput` if it is in the future. */
export async function readPage(query: Query, options: PageQuery): Promise<LogPage> {
  const events: Event[] = [];
  let { after } = options;
  for (let scans = 1; ; scans++) {
    const page = await scanPage(query, { ...options, after, limit: options.limit - events.length });
    events.push(...page.events);
    // Otherwise a caller would learn how much others write from the number of its pages.
    const { next, isCut, isMoreToScan } = page;
    if (!isMoreToScan || scans === maxScans) return { events, next, hasMore: isCut || isMoreToScan };
    after = next;
  }
}

async function scanPage(query: Query, { after, limit, kinds, storeId, scope }: PageQuery) {
  const access =
    storeId === undefined ? [scope.all, scope.merchantIds, scope.storeIds] : [false, [], [storeId], storeId];
  const values = [after ?? null, limit + 1, kinds, ...access];
  const rows = await query<PageRow>(storeId === undefined ? ofAll : ofOne, values);
  const { completeAfter = 0, end = 0, scannedTo = 0 } = rows[0] ?? {};
  if (after !== undefined && after < completeAfter) throw new EventsDeleted(after, completeAfter);
  const error = after !== undefined && checkPosition(after, end);
  if (error) throw error;
  const found = rows.flatMap(({ completeAfter: _, end: _end, scannedTo: _to, ...event }) =>
    event.position === null ? [] : [event],
  );
  const events = found.slice(0, limit);
  const isCut = found.length > limit;
  const last = isCut ? events.at(-1)?.position : undefined;
  // A clock may be behind the one that gave the cursor.
  const next = Math.max(last ?? scannedTo, after ?? 0);
  return { events, next, isCut, isMoreToScan: !isCut && scannedTo < end };
}
