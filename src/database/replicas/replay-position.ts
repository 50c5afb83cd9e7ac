import { prepared, type Query } from '../query.ts';

/** The state of the primary that a replica is compared with. */
export interface PrimaryPosition {
  /** WAL position before which everything visible on the primary was written. */
  readonly lsn: string;
  /** Oldest transaction in progress: all before it have ended, and their effects are visible. */
  readonly xmin: bigint;
}

// A commit becomes visible after its WAL is flushed or, with asynchronous commit, after it is inserted.
const primaryStatement = prepared(`
  select pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end::text as lsn`);

/** The LSN that every server has replayed. */
export const zeroLsn = '0/0';

export async function readPrimaryPosition(primary: Query): Promise<PrimaryPosition> {
  const [row] = await primary<{ readonly xmin: string; readonly lsn: string }>(primaryStatement, []);
  if (!row) throw new Error('The primary returned no position');
  return { lsn: row.lsn, xmin: BigInt(row.xmin) };
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
  select system_identifier || ' ' || current_database() as identity, pg_is_in_recovery() as "isStandby",
    coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasReplayed"
  from pg_control_system()`);

export interface ServerState {
  /** Shared by a primary and its replicas alone: system identifier and database. */
  readonly identity: string;
  readonly isStandby: boolean;
  readonly hasReplayed: boolean;
}

export async function readServerState(database: Query, lsn: string): Promise<ServerState> {
  const [row] = await database<ServerState>(stateStatement, [lsn]);
  if (!row) throw new Error('The server returned no state');
  return row;
}
