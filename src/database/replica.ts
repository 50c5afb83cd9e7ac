import { setTimeout as sleep } from 'node:timers/promises';
import { defineEntity, p } from '@mikro-orm/core';
import pg from 'pg';
import type { StatementOptions } from './client.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { withTimeout } from './errors.ts';
import { poolOptions, queryOn, typeParsers } from './pool.ts';
import { prepared, type Query } from './query.ts';

export interface ReplicaOptions extends StatementOptions {
  readonly url: string;
  readonly poolSize: number;
  /** The current primary (`PrimaryStartEntity`), which the replica must follow. */
  readonly primaryStart: () => Promise<string>;
  /** Called when the replica becomes usable, or unusable for a reason. */
  readonly onChange: (change: { readonly isUsable: boolean; readonly reason?: unknown }) => void;
}

const probeIntervalMs = 1_000;
const probeTimeoutMs = 1_000;
const maxAttempts = 6;
const attemptDelayMs = 100;
const minRetryDelayMs = 250;
const maxRetryDelayMs = 2_000;

/** A read replica, probed once a second: it is unusable from a failed probe until the next one that succeeds. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #closed = new AbortController();
  #pools: Pools | undefined;
  #probeNow = Promise.withResolvers<void>();
  #requiredLsn = zeroLsn;
  #primaryStart: string | undefined;
  #laggingSince: number | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  get isUsable(): boolean {
    return this.#pools !== undefined;
  }

  /** Replication lag: for how long the replica has not replayed the LSN that reads require. */
  get behindSeconds(): number {
    return this.#laggingSince === undefined ? 0 : (performance.now() - this.#laggingSince) / 1_000;
  }

  /** Undefined while the replica has not replayed up to the primary's position, or is not known to follow this primary. */
  async read<Row>({ lsn, start }: PrimaryPosition, select: (query: Query) => Promise<Row[]>) {
    if (start !== this.#primaryStart) this.#probeNow.resolve();
    if (!this.#pools || start !== this.#primaryStart) return undefined;
    this.#requiredLsn = lsn;
    try {
      const client = await this.#pools.reads.connect();
      try {
        const query = queryOn(client);
        // Three snapshots, in this order: the second shows at least what the first has, and at most what the third has.
        const { hasReplayed } = await readRow<Pick<ReplicaState, 'hasReplayed'>>(query, replayedStatement, [lsn]);
        if (!this.#trackLag(hasReplayed)) return undefined;
        const rows = await select(query);
        const { xmax } = await readRow<{ readonly xmax: string }>(query, xmaxStatement);
        return { rows, xmax: BigInt(xmax) };
      } finally {
        client.release();
      }
    } catch (error) {
      this.#probeNow.resolve();
      throw error;
    }
  }

  #trackLag(isCaughtUp: boolean): boolean {
    this.#laggingSince = isCaughtUp ? undefined : (this.#laggingSince ?? performance.now());
    return isCaughtUp;
  }

  /** Probes the replica until it is closed. */
  async watch(): Promise<void> {
    let retryDelayMs = minRetryDelayMs;
    let reported: boolean | undefined;
    while (!this.#closed.signal.aborted) {
      this.#probeNow = Promise.withResolvers();
      const pools = this.#pools ?? openPools(this.#options);
      let reason: unknown;
      try {
        await withTimeout(probeTimeoutMs, this.#probe(queryOn(pools.probe)));
        this.#pools = pools;
        retryDelayMs = minRetryDelayMs;
      } catch (error) {
        reason = error;
        pools.destroy();
        this.#pools = undefined;
        this.#laggingSince = undefined;
        retryDelayMs = Math.min(retryDelayMs * 2, maxRetryDelayMs);
      }
      if (this.#closed.signal.aborted) return this.close();
      if (reported !== this.isUsable) this.#options.onChange({ isUsable: this.isUsable, reason });
      reported = this.isUsable;
      const delayMs = this.#pools ? probeIntervalMs : retryDelayMs;
      const delay = sleep(delayMs, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
      await Promise.race([delay, this.#probeNow.promise]);
    }
  }

  async #probe(query: Query): Promise<void> {
    const start = await this.#options.primaryStart();
    const readState = () => readRow<ReplicaState>(query, stateStatement, [this.#requiredLsn, start]);
    let state = await readState();
    // The row of a new primary takes a moment to arrive.
    for (let attempt = 1; state.isStandby && !state.followsPrimary && attempt < maxAttempts; attempt++) {
      await sleep(attemptDelayMs);
      state = await readState();
    }
    if (!state.isStandby) throw new Error('It is not a standby');
    if (!state.followsPrimary) throw new Error('It does not follow the primary');
    this.#primaryStart = start;
    this.#trackLag(state.hasReplayed);
  }

  close(): void {
    this.#closed.abort();
    this.#pools?.destroy();
    this.#pools = undefined;
  }
}

/** Short, for a pooled and a new connection alike: the primary can serve the read instead. */
const connectionTimeoutMillis = 1_000;

type Pools = ReturnType<typeof openPools>;

function openPools({ url, poolSize, statementSeconds, prepare }: ReplicaOptions) {
  const clients = new Set<unknown>();
  const open = (max: number) => {
    const options = { ...poolOptions({ statementSeconds, prepare }), connectionTimeoutMillis, max };
    const pool = new pg.Pool({ ...options, connectionString: parseDatabaseUrl(url)?.url ?? url, types: typeParsers() });
    // The pending statement rejects as well; an `error` event without a listener would end the process.
    pool.on('error', () => {});
    pool.on('connect', client => void clients.add(client.on('error', () => {})));
    pool.on('remove', client => void clients.delete(client));
    return pool;
  };
  // Probes do not queue behind reads.
  const [reads, probe] = [open(poolSize), open(1)] as const;
  return {
    reads,
    probe,
    /** Closes all connections at once; pending statements reject. */
    destroy() {
      for (const pool of [reads, probe]) if (!pool.ending) void pool.end();
      for (const client of clients) if (client instanceof pg.Client) void client.end();
    },
  };
}

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
export const insertStartStatement = prepared(`
  with setting as (select set_config('synchronous_commit', 'local', true))
  insert into primary_start (id) select $1 from setting on conflict do nothing`);

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
const zeroLsn = '0/0';

export async function readPrimaryPosition(primary: Query): Promise<PrimaryPosition> {
  const row = await readRow<Omit<PrimaryPosition, 'xmin'> & { readonly xmin: string }>(primary, primaryStatement);
  return { ...row, xmin: BigInt(row.xmin) };
}

/** Whether a replica has replayed up to the LSN, so that its later snapshots show everything written before. */
const replayedStatement = prepared(
  'select coalesce(pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasReplayed"',
);

/** First transaction that no snapshot of the replica has shown so far. */
const xmaxStatement = prepared('select pg_snapshot_xmax(pg_current_snapshot())::text as xmax');

const stateStatement = prepared(`
  select pg_is_in_recovery() as "isStandby", coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasReplayed",
    exists (select from primary_start where id = $2) as "followsPrimary"`);

interface ReplicaState {
  readonly isStandby: boolean;
  readonly hasReplayed: boolean;
  /** Whether it has the row that the primary got when it was first seen. */
  readonly followsPrimary: boolean;
}

/** Reads the row of a statement that always has one. */
async function readRow<Row>(query: Query, statement: string, values: readonly unknown[] = []): Promise<Row> {
  const [row] = await query<Row>(statement, values);
  if (!row) throw new Error('The server returned no row');
  return row;
}
