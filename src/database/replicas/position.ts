import { prepared, type Query } from '../query.ts';

/** How far the primary has come: what a replica shows is measured by it. */
export interface Position {
  /** Where the log is: everything that can be seen on the primary was written before. */
  readonly log: string;
  /** Every transaction before this one is over, and what it did can be seen on the primary. */
  readonly settled: bigint;
}

// A commit can be seen when its log has been flushed; one that does not wait for that, when its log has been inserted.
const primaryStatement = prepared(`
  select pg_snapshot_xmin(pg_current_snapshot())::text as settled,
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end::text as log`);

/** The beginning of every log. */
export const beginning = '0/0';

export async function positionOf(primary: Query): Promise<Position> {
  const [row] = await primary<{ readonly settled: string; readonly log: string }>(primaryStatement, []);
  if (!row) throw new Error('The primary says no position');
  return { log: row.log, settled: BigInt(row.settled) };
}

const reachedStatement = prepared('select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as reached');

/** Whether a replica has come as far as a place in the log: whatever it is asked next, it then shows all before that. */
export async function hasReached(replica: Query, log: string): Promise<boolean> {
  const [row] = await replica<{ readonly reached: boolean | null }>(reachedStatement, [log]);
  return row?.reached === true;
}

const shownStatement = prepared('select pg_snapshot_xmax(pg_current_snapshot())::text as shown');

/** The first transaction of which a replica has shown nothing so far. */
export async function shownBy(replica: Query): Promise<bigint> {
  const [row] = await replica<{ readonly shown: string }>(shownStatement, []);
  if (!row) throw new Error('The replica says no snapshot');
  return BigInt(row.shown);
}

const stateStatement = prepared(`
  select system_identifier || ' ' || current_database() as identity, pg_is_in_recovery() as "isStandby",
    coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as reached
  from pg_control_system()`);

export interface ServerState {
  /** The same for a database and its replicas alone. */
  readonly identity: string;
  readonly isStandby: boolean;
  /** Whether it has come as far as a place in the log. */
  readonly reached: boolean;
}

export async function stateOf(database: Query, log: string): Promise<ServerState> {
  const [row] = await database<ServerState>(stateStatement, [log]);
  if (!row) throw new Error('The database says nothing about itself');
  return row;
}
