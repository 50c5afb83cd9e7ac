import type { MikroORM } from '@mikro-orm/postgresql';
import { advisoryLocks } from '../database/advisory-locks.ts';
import { prepared, type Query } from '../database/query.ts';
import { applyOrderRetention, type OrderRetention } from '../order/retention.ts';
import { runAsWorker } from '../scheduling/current-request.ts';
import { runEveryMinute } from '../scheduling/every-minute.ts';
import { lastPossible, positionAt } from './log.ts';

/** How much of the log is retained. */
export interface Retention {
  readonly days: number;
  /** By their ids: counting very many would take long. */
  readonly events: number;
}

/** The state of the log, for metrics. */
export interface LogStatus {
  /** With indexes, the space that deleted events have left, and the inbox. */
  readonly bytes: number;
  /** With those that were rolled back. */
  readonly events: number;
  /** Age of the oldest event. */
  readonly oldestSeconds: number;
}

export interface RetentionOptions {
  readonly retention: Retention;
  readonly onStatus: (status: LogStatus) => void;
  readonly onError: (error: unknown) => void;
}

const batchSize = 2_000;

const oldest = 'from event where position is not null order by position limit 1';
const newest = 'from event where position is not null order by position desc limit 1';

/**
 * The last event that has expired: by its position, which is a time; of those that a clock which was ahead has moved into the future, by the
 * time of its statement or, where that is in the future as well, of the next one after it; or as one too many. Of the clocks of the database and of
 * this process the one that is behind counts, so that a single one that is ahead deletes nothing.
 */
const boundaryStatement = prepared(`
  with expiry as materialized (select least(now(), $3) - make_interval(days => $1) as time),
  early as (select position, created_at from event where position > ${lastPossible} order by position limit ${batchSize}),
  dated as (
    select position, created_at from event where position > ${lastPossible} and created_at <= now() + interval '1 minute'
    order by position limit 1
  )
  select greatest(
    (select max(position) from event where position <= (select ${positionAt('time')} from expiry)),
    (select max(early.position) from early, expiry where early.created_at <= time
      or early.position <= (select dated.position from dated where dated.created_at <= time)),
    (select position from event where id <= (select id ${newest}) - $2 and position is not null order by id desc limit 1)
  ) as position`);

/**
 * Deletes the oldest batch of events up to a position, unless another process is at it. A trigger of the table moves the start of the log
 * (`EventLogEntity`), and records what webhooks have not received.
 */
const deleteStatement = prepared(`
  with turn as materialized (select pg_try_advisory_xact_lock(${advisoryLocks.eventRetention}) as is_ours),
  batch as (
    select max(position) as last from (select position from event where position <= $1 order by position limit $2) oldest
  ),
  deleted as (
    delete from event using turn, batch where turn.is_ours and event.position <= batch.last returning 1
  )
  select count(*)::int as count from deleted`);

/** Deletes expired events, in batches with a transaction each; returns how many. */
export async function deleteExpiredEvents(
  query: Query,
  { days, events }: Retention,
  { size = batchSize, clock = new Date() } = {},
): Promise<number> {
  for (let total = 0; ; ) {
    const [{ position = null } = {}] = await query<{ position: number | null }>(boundaryStatement, [
      days,
      events,
      clock,
    ]);
    if (position === null) return total;
    for (let count = size; count === size; total += count) {
      const [row] = await query<{ count: number }>(deleteStatement, [position, size]);
      count = row?.count ?? 0;
      if (count === 0) return total;
    }
  }
}

const statusStatement = prepared(`
  select pg_total_relation_size('event') + pg_total_relation_size('event_inbox') as bytes,
    coalesce((select id ${newest}) - (select id ${oldest}) + 1, 0) as events,
    coalesce(extract(epoch from now() - (select created_at ${oldest})), 0)::float8 as "oldestSeconds"`);

export async function readLogStatus(query: Query): Promise<LogStatus | undefined> {
  const [status] = await query<LogStatus>(statusStatement, []);
  return status;
}

/** Deletes expired events, and reports the state of the log, every minute until it is aborted. */
export function runRetention(query: Query, { retention, onStatus, onError }: RetentionOptions, signal: AbortSignal) {
  const run = async () => {
    await deleteExpiredEvents(query, retention);
    const status = await readLogStatus(query);
    if (status) onStatus(status);
  };
  return runEveryMinute(run, onError, signal);
}

/** Anonymizes and deletes old orders every minute until it is aborted; does nothing if they are kept. */
export async function runOrderRetention(
  orm: MikroORM,
  retention: OrderRetention,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  if (retention.anonymizeDays === undefined && retention.keepDays === undefined) return;
  const run = () => runAsWorker(() => applyOrderRetention(orm.em.fork(), retention, { signal }));
  await runEveryMinute(run, onError, signal);
}
