/** How much of a store's menu history is kept, documented in docs/menu-history.md. */
export interface HistoryLimits {
  /** Number of revisions, the current one included. */
  readonly revisions: number;
  /** Days for which a revision is kept after another has replaced it. */
  readonly days: number;
  /** Bytes of JSON before compression, over all changes to the store's menu. */
  readonly bytes: number;
}

export const defaultHistoryLimits: HistoryLimits = { revisions: 1000, days: 365, bytes: 32 * 1024 * 1024 };

/**
 * SQL of the oldest revision that is kept of a store, by the limits that need no reading of changes. Null if the store has no history.
 * Revisions are times in microseconds (docs/decisions/0011), so the index finds the one that was current when the period began.
 */
export function oldestRetained(
  storeId: string,
  parameters: { readonly revisions: string; readonly days: string },
): string {
  const ofStore = `from menu_history where store_id = ${storeId}`;
  const period = `(extract(epoch from now()) * 1000000)::bigint - ${parameters.days}::bigint * 86400000000`;
  return `greatest(
    (select min(revision) ${ofStore}),
    (select distinct revision ${ofStore} order by revision desc offset ${parameters.revisions}::int - 1 limit 1),
    (select max(revision) ${ofStore} and revision <= ${period}))`;
}
