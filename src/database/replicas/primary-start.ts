import { defineEntity, p } from '@mikro-orm/core';
import { prepared, type Query } from '../query.ts';

/**
 * Each start and each promotion of a primary that Carte has seen. A replica that has the row follows this primary; one that stayed on
 * the timeline of an earlier primary, or belongs to a database that was replaced by a back-up, never gets it.
 */
export const PrimaryStartEntity = defineEntity({
  name: 'PrimaryStart',
  tableName: 'primary_start',
  properties: { id: p.text().primary().collation('C') },
});

/** Identifies the primary: its timeline grows with a promotion, and a restored server starts anew. Only for a server that is no standby. */
export const primaryStartExpression =
  "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || ' ' || pg_postmaster_start_time()";

// Committed without waiting for synchronous standbys, which may be missing just after a promotion.
const insertStatement = prepared(`
  with setting as (select set_config('synchronous_commit', 'local', true))
  insert into primary_start (id) select $1 from setting on conflict do nothing`);

export async function recordPrimaryStart(primary: Query, id: string): Promise<void> {
  await primary(insertStatement, [id]);
}
