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
const primaryStartExpression =
  "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || ' ' || pg_postmaster_start_time()";

// Committed without waiting for synchronous standbys, which may be missing just after a promotion.
const insertStatement = prepared(`
  with setting as (select set_config('synchronous_commit', 'local', true))
  insert into primary_start (id) select $1 from setting on conflict do nothing`);

export async function recordPrimaryStart(primary: Query, id: string): Promise<void> {
  await primary(insertStatement, [id]);
}

/** The state of the primary that a replica is compared with. */
export interface PrimaryPosition {
  /** WAL position before which everything visible on the primary was written. */
  readonly lsn: string;
  /** Oldest transaction in progress: all before it have ended, and their effects are visible. */
  readonly xmin: bigint;
  /** Which primary it is (`PrimaryStartEntity`). */
  readonly start: string;
}

// A commit becomes visible after its WAL is flushed or, with asynchronous commit, after it is inserted.
const primaryStatement = prepared(`
  select pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end::text as lsn,
    ${primaryStartExpression} as start`);

/** The LSN that every server has replayed. */
export const zeroLsn = '0/0';

export async function readPrimaryPosition(primary: Query): Promise<PrimaryPosition> {
  const [row] = await primary<Omit<PrimaryPosition, 'xmin'> & { readonly xmin: string }>(primaryStatement, []);
  if (!row) throw new Error('The primary returned no position');
  return { ...row, xmin: BigInt(row.xmin) };
}

const replayedStatement = prepared(
  'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasReplayed"',
);

/** Whether a replica has replayed up to the LSN, so that its later snapshots show everything written before. */
export async function hasReplayed(replica: Query, lsn: string): Promise<boolean> {
  const [row] = await replica<{ readonly hasReplayed: boolean | null }>(replayedStatement, [lsn]);
  return row?.hasReplayed === true;
}

const xmaxStatement = prepared('select pg_snapshot_xmax(pg_current_snapshot())::text as xmax');

/** First transaction that no snapshot of the replica has shown so far. */
export async function readSnapshotXmax(replica: Query): Promise<bigint> {
  const [row] = await replica<{ readonly xmax: string }>(xmaxStatement, []);
  if (!row) throw new Error('The replica returned no snapshot');
  return BigInt(row.xmax);
}

const stateStatement = prepared(`
  select pg_is_in_recovery() as "isStandby", coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasReplayed",
    exists (select from primary_start where id = $2) as "followsPrimary"`);

export interface ReplicaState {
  readonly isStandby: boolean;
  readonly hasReplayed: boolean;
  /** Whether it has the row that the primary got when it was first seen. */
  readonly followsPrimary: boolean;
}

export async function readReplicaState(
  replica: Query,
  { lsn, start }: Pick<PrimaryPosition, 'lsn' | 'start'>,
): Promise<ReplicaState> {
  const [row] = await replica<ReplicaState>(stateStatement, [lsn, start]);
  if (!row) throw new Error('The replica returned no state');
  return row;
}
