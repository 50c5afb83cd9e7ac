import { Unavailable } from '../errors.ts';

/**
 * SQLSTATEs that say nothing about the statement: connection (08) and log-in (28) failed, resources ran out (53), an
 * operator or a time limit intervened (57), the system failed (58), the server became a standby, its database is gone,
 * or others were in the way.
 */
const passingStates = /^(?:08|28|53|57|58)...$|^(?:25006|25P0[34]|3D000|40001|40P01|55P03)$/;
const tooLong = '57014';

/** What `pg`, its pool and Kysely say without a code. */
const passingMessages =
  /^(?:timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client (?:has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|driver has already been destroyed)/;

const networkCalls = new Set<unknown>(['connect', 'getaddrinfo', 'read', 'write']);

/** What an error of the database libraries means to a caller; undefined for a bug. */
export function toUnavailable(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error;
  if (!(error instanceof Error)) return undefined;
  if (codeOf(error) === tooLong) return new Unavailable('The database took too long to answer.', { cause: error });
  if (isPassing(error)) return new Unavailable('The database does not answer at the moment.', { cause: error });
  // Several addresses were tried, or a library has wrapped what happened.
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner === undefined ? undefined : toUnavailable(inner);
}

function isPassing(error: Error): boolean {
  // Without `syscall` it is the caller's connection that broke, not that to the database.
  if ('syscall' in error && networkCalls.has(error.syscall)) return true;
  const code = codeOf(error);
  return code === undefined ? passingMessages.test(error.message) : passingStates.test(code);
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
