import { setTimeout as sleep } from 'node:timers/promises';
import { prepared, type Query } from '../database/query.ts';

/** Bounds a transaction, and how long events of one store wait for those of others; each takes some 20 µs. */
const batchSize = 1_000;
/** So long another process may be at it, whose commit waits for a standby that is gone, for example. */
const maxWaitMs = 1_000;
const minRetryMs = 2;
const maxRetryMs = 50;
/** A snapshot saves time only; without it nothing is overlooked, whatever became of the database meanwhile. */
const maxSnapshotMs = 60_000;

const noSnapshot = '1:1:';
const sequenceStatement = prepared(
  'select moved, next_seen::text as "nextSeen" from sequence_events($1::pg_snapshot, $2, $3)',
);

interface MovedBatch {
  readonly moved: number;
  /** Whether all that was committed before is in the log; otherwise there is more or, if nothing was moved, other processes were at it all the time. */
  readonly isComplete: boolean;
}

export type RunSequencer = ReturnType<typeof createSequencer>;

/**
 * Creates the function that moves one batch of events from the inbox, where the triggers write them, into the log, and gives them their positions, once
 * no other process is at it: docs/decisions/0015-event-log.md. Every serving process has one, and so has a command that needs the end of the log; of all
 * of them one works at a time.
 */
export function createSequencer(query: Query, { waitMs = maxWaitMs } = {}) {
  let lastSeen = noSnapshot;
  let completeAt = Number.NEGATIVE_INFINITY;

  async function move(): Promise<number | null> {
    const now = performance.now();
    const isComplete = now - completeAt > maxSnapshotMs;
    const seen = isComplete ? noSnapshot : lastSeen;
    // Both null while another process is at it.
    type Row = { readonly moved: number | null; readonly nextSeen: string | null };
    const [row] = await query<Row>(sequenceStatement, [seen, batchSize, new Date()]);
    if (row?.moved == null || row.nextSeen === null) return null;
    lastSeen = row.nextSeen;
    if (isComplete && row.moved < batchSize) completeAt = now;
    return row.moved;
  }

  return async (): Promise<MovedBatch> => {
    const until = performance.now() + waitMs;
    for (let retryMs = minRetryMs; ; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      const moved = await move();
      if (moved !== null) return { moved, isComplete: moved < batchSize };
      if (performance.now() >= until) return { moved: 0, isComplete: false };
      await sleep(retryMs * (0.5 + Math.random()), undefined, { ref: false });
    }
  };
}

/** Moves every event that is committed by now into the log, as far as other processes let it. */
export async function sequenceEvents(query: Query): Promise<void> {
  const runSequencer = createSequencer(query);
  let batch: MovedBatch;
  do batch = await runSequencer();
  while (batch.moved > 0 && !batch.isComplete);
}
