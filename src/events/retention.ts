import { setTimeout as sleep } from 'node:timers/promises';
import { prepared, type Query } from '../database/query.ts';

export interface RetentionOptions {
  readonly keepDays: number;
  readonly onError: (error: unknown) => void;
}

const intervalMs = 10 * 60_000;
const batchSize = 2_000;

/**
 * Deletes the oldest batch of expired events, unless another process is at it. Positions are times; a trigger of the table moves the start
 * of the log (`EventLogEntity`).
 */
const deleteStatement = prepared(`
  with turn as materialized (select pg_try_advisory_xact_lock(7274923) as is_ours),
  batch as (
    select max(position) as last from (
      select position from event
      where position <= (extract(epoch from now() - make_interval(days => $1)) * 1000000)::bigint
      order by position limit $2
    ) expired
  ),
  deleted as (
    delete from event using turn, batch where turn.is_ours and event.position <= batch.last returning 1
  )
  select count(*)::int as count from deleted`);

/** Deletes events that are older than the retention time, in batches with a transaction each; returns how many. */
export async function deleteExpiredEvents(query: Query, keepDays: number, size = batchSize): Promise<number> {
  let total = 0;
  for (;;) {
    const [row] = await query<{ readonly count: number }>(deleteStatement, [keepDays, size]);
    total += row?.count ?? 0;
    if (!row || row.count < size) return total;
  }
}

/** Deletes expired events every ten minutes, until it is aborted. */
export async function runRetention(query: Query, { keepDays, onError }: RetentionOptions, signal: AbortSignal) {
  while (!signal.aborted) {
    // At random, so that processes which were started together take turns.
    await sleep(intervalMs * (0.5 + Math.random()), undefined, { ref: false, signal }).catch(() => {});
    if (!signal.aborted) await deleteExpiredEvents(query, keepDays).catch(onError);
  }
}
