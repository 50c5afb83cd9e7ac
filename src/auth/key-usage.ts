import { withTimeout } from '../database/errors.ts';
import { prepared, type Query } from '../database/query.ts';
import { currentRequest } from '../scheduling/current-request.ts';

/** So that the uses of many keys share a statement. */
const delayMs = 1_000;
/** After a failure, so that a database that rejects writes is not tried, and the error logged, every second. */
const delayAfterErrorMs = 60_000;
/** Of the last statement, which must not delay a shutdown. */
const closeTimeoutMs = 2_000;

/**
 * Skips rows that are locked: another process is recording the same use, or the key is being changed and the next use records it. So
 * it never waits, and never deadlocks with the statement of another process. Nor does it wait for a standby, where one is gone.
 */
const statement = prepared(`
  with used as (
    select k.id, u.used_at
    from unnest($1::text[], $2::timestamptz[]) as u(id, used_at) join api_key k on k.id = u.id
    where k.last_used_at is null or k.last_used_at < u.used_at
    for no key update of k skip locked
  )
  update api_key k set last_used_at = used.used_at from used
  where k.id = used.id and (select set_config('synchronous_commit', 'local', true)) is not null`);

/** Records the last use of keys, off the path of requests. A use that cannot be recorded is dropped; the next one is not. */
export function createKeyUsage(query: Query, onError: (error: unknown) => void) {
  const pending = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let nextDelayMs = delayMs;

  /** One statement at a time: while the database hangs, more of them would use up its connections. */
  function schedule(): void {
    timer ??= setTimeout(async () => {
      try {
        await write();
        nextDelayMs = delayMs;
      } catch (error) {
        nextDelayMs = delayAfterErrorMs;
        onError(error);
      }
      timer = undefined;
      if (pending.size > 0) schedule();
    }, nextDelayMs).unref();
  }

  async function write(): Promise<void> {
    const uses = [...pending];
    pending.clear();
    if (uses.length === 0) return;
    const values = [uses.map(([keyId]) => keyId), uses.map(([, usedAt]) => usedAt)];
    // Neither counted nor traced with the request that caused it, but with the same time limit.
    await currentRequest.run({ statements: 0, trace: undefined }, () => query(statement, values));
  }

  return {
    /** Called with uses that are due: the authenticator leaves out those within a minute of the recorded one. */
    record(keyId: string, usedAt: Date): void {
      pending.set(keyId, usedAt);
      schedule();
    },
    /** Writes what is pending. */
    async close(): Promise<void> {
      clearTimeout(timer);
      await withTimeout(closeTimeoutMs, write()).catch(onError);
    },
  };
}
