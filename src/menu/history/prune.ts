import { prepared, type Query } from '../../database/query.ts';
import type { HistoryLimits } from '../../limits.ts';
import { oldestRetained } from './limits.ts';

/** The share of small changes after which the history is pruned; until then, readers ignore what is beyond the limits. */
const prunedShare = 1 / 16;
/** Larger changes are always followed by pruning. */
const smallBytes = 64 * 1024;

/** Prunes the history of a store whose row the transaction has locked, after a change by a document of this size. */
export async function pruneNowAndThen(
  query: Query,
  storeId: string,
  { limits, bytes }: { readonly limits: HistoryLimits; readonly bytes: number },
): Promise<void> {
  if (bytes > smallBytes || Math.random() < prunedShare) await pruneHistory(query, storeId, limits);
}

/** Deletes what is beyond the limits. A state needs the changes after it, never those before it. */
export async function pruneHistory(query: Query, storeId: string, limits: HistoryLimits): Promise<void> {
  await query(statement, [storeId, limits.revisions, limits.days, limits.bytes]);
}

const statement = prepared(`
  with sizes as (
    select revision, sum(bytes) as bytes from menu_history where store_id = $1 group by revision
  ),
  within_bytes as (
    select min(revision) as revision from (
      select revision, sum(bytes) over (order by revision desc rows between unbounded preceding and 1 preceding) as newer
      from sizes
    ) summed where coalesce(newer, 0) <= $4::bigint
  ),
  oldest as (
    select greatest((select revision from within_bytes), ${oldestRetained('$1', { revisions: '$2', days: '$3' })}) as revision
  )
  delete from menu_history where store_id = $1 and revision < (select revision from oldest)`);
