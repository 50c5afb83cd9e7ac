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
