import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, Unavailable } from '@carte/base/errors';

/**
 * SQLSTATEs that do not blame the statement: connection (08) or log-in (28) failed, resources are exhausted (53), operator
 * intervention or a timeout (57), system error (58), read-only standby, idle timeouts, missing database, conflicts and locks.
 */
const transientStates = /^(?:08|28|53|57|58)...$|^(?:25006|25P0[34]|3D000|40001|40P01|55P03)$/;
/** A statement was cancelled, or a lock not granted in time. */
const timeouts = new Set<unknown>(['57014', '55P03']);

/** Errors of `pg`, its pool and Kysely that have no code. */
const transientMessages =
  /^(?:timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client (?:has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|driver has already been destroyed)/;

const networkCalls = new Set<unknown>(['connect', 'getaddrinfo', 'read', 'write']);

/** Translates a transient error of the database libraries; undefined for a bug. */
export function toUnavailable(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error;
  if (!(error instanceof Error)) return undefined;
  if (timeouts.has(codeOf(error))) {
    return new Unavailable('The database took too long to answer.', { cause: error });
  }
  if (isTransient(error)) return new Unavailable('The database does not answer at the moment.', { cause: error });
  // Several addresses were tried, or a library has wrapped the error.
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner === undefined ? undefined : toUnavailable(inner);
}

function isTransient(error: Error): boolean {
  // Without `syscall` it is the caller's connection that broke, not the one to the database.
  if ('syscall' in error && networkCalls.has(error.syscall)) return true;
  const code = codeOf(error);
  return code === undefined ? transientMessages.test(error.message) : transientStates.test(code);
}

const minDelayMs = 50;
const maxDelayMs = 2_000;
/** A restart or failover of the database takes less. */
const defaultTimeoutMs = 120_000;

/** Repeats a read while the database is unavailable, with exponential backoff; rejects when it is aborted, and after two minutes or the time given. */
export async function retryWhileUnavailable<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
  timeoutMs = defaultTimeoutMs,
): Promise<T> {
  const startedAt = performance.now();
  for (let delayMs = minDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || !toUnavailable(error) || performance.now() - startedAt > timeoutMs) throw error;
      // With jitter, so that the streams of a process do not all come back at once.
      await sleep(delayMs * (0.5 + Math.random()), undefined, { signal });
    }
  }
}

/** Rejects if there is no result in time. */
export async function withTimeout<T>(timeoutMs: number, result: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  // One turn of the event loop later, so that a result which arrived while the loop was blocked wins.
  const fail = () => setImmediate(() => reject(new Error(`No response within ${timeoutMs} ms`)));
  const timer = setTimeout(fail, timeoutMs);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
