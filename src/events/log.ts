import { prepared, type Query } from '../database/query.ts';
import type { Event, EventKind } from './entities.ts';

export interface EventFilter {
  readonly storeId?: string | undefined;
  readonly kinds?: readonly EventKind[] | undefined;
}

interface ReadOptions extends EventFilter {
  readonly after: number;
  readonly limit: number;
}

/** Events after a position were deleted: docs/webhooks-and-events.md#retention. */
export class EventsDeleted extends Error {
  readonly completeAfter: number;

  constructor(after: number, completeAfter: number) {
    super(`The log no longer has all events after ${timeOf(after)}, only those after ${timeOf(completeAfter)}.`);
    this.completeAfter = completeAfter;
  }
}

/** The time that a position stands for. */
export const timeOf = (position: number): string => new Date(position / 1_000).toISOString();

/** SQL of the position that is so many seconds after a time. */
export const positionAt = (time: string, seconds = 0) =>
  `((extract(epoch from ${time}) + ${seconds}) * 1000000)::bigint`;

/** SQL of the last position that the clock can have given; those after it were given while a clock was ahead, or follow such a one. */
export const lastPossible = positionAt('now()', 60);

type EventRow = { readonly completeAfter: number } & (Event | { readonly position: null });

export const columns = `id, position, created_at as "createdAt", kind, store_id as "storeId", merchant_id as "merchantId",
  order_id as "orderId", status_before as "statusBefore", status, menu_revision as "menuRevision"`;

/** One snapshot of the events and of the start of the log, so that no event can be deleted in between. */
const readStatement = (condition: string) =>
  prepared(`
    select log.complete_after as "completeAfter", page.* from event_log log
    left join lateral (
      select ${columns} from event where position > $1 ${condition} order by event.position limit $2
    ) page on true
    order by page.position`);

const statements = new Map<string, string>();

/** Kinds are literals, so that the planner can use the index of the rare ones; there are few combinations. */
function statementFor({ storeId, kinds }: EventFilter): string {
  const store = storeId === undefined ? '' : 'and store_id = $3';
  const condition = kinds ? `${store} and kind in (${kinds.map(kind => `'${kind}'`).join(', ')})` : store;
  const statement = statements.get(condition) ?? readStatement(condition);
  statements.set(condition, statement);
  return statement;
}

/** Reads events in the order of their positions; throws `EventsDeleted` if some after `after` may be missing. */
export async function readEvents(query: Query, { after, limit, ...filter }: ReadOptions): Promise<Event[]> {
  const values = [after, limit, ...(filter.storeId === undefined ? [] : [filter.storeId])];
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
