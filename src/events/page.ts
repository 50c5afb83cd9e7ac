import { prepared, type Query } from '../database/query.ts';
import type { AccessScope } from '../scope.ts';
import type { Event, EventKind } from './entities.ts';
import { columns, EventsDeleted } from './log.ts';
import { isInFuture, PositionInFuture } from './stream.ts';

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

/** Events that one page looks at: those of other stores and kinds count. */
const maxScanned = 5_000;

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

interface Searched {
  readonly completeAfter: number;
  readonly end: number;
  readonly scannedTo: number;
}
type PageRow = Searched & (Event | { readonly position: null });

/** Reads a page of events; throws `EventsDeleted` if some after `after` may be missing, and `PositionInFuture`. */
export async function readPage(query: Query, { after, limit, kinds, storeId, scope }: PageQuery): Promise<LogPage> {
  const access =
    storeId === undefined ? [scope.all, scope.merchantIds, scope.storeIds] : [false, [], [storeId], storeId];
  const values = [after ?? null, limit + 1, kinds, ...access];
  const rows = await query<PageRow>(storeId === undefined ? ofAll : ofOne, values);
  const { completeAfter = 0, end = 0, scannedTo = 0 } = rows[0] ?? {};
  if (after !== undefined && after < completeAfter) throw new EventsDeleted(after, completeAfter);
  if (after !== undefined && isInFuture(after, end)) throw new PositionInFuture(after, end);
  const found = rows.flatMap(({ completeAfter: _, end: _end, scannedTo: _to, ...event }) =>
    event.position === null ? [] : [event],
  );
  const events = found.slice(0, limit);
  const isCut = found.length > limit;
  const last = isCut ? events.at(-1)?.position : undefined;
  // A clock may be behind the one that gave the cursor.
  return { events, next: Math.max(last ?? scannedTo, after ?? 0), hasMore: isCut || scannedTo < end };
}
