import type { FastifyBaseLogger } from 'fastify';
import { toUnavailable } from '../database/errors.ts';
import type { Unavailable } from '../errors.ts';
import type { Metrics } from './metrics.ts';

const logIntervalMs = 5_000;

/** Translates errors of the database to `Unavailable`, and logs them at most once in five seconds. */
export function createTranslate(log: FastifyBaseLogger, metrics: Metrics): (error: unknown) => Unavailable | undefined {
  const logged = new WeakSet<Error>();
  let lastLogged = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return error => {
    const unavailable = toUnavailable(error);
    // One that is `Unavailable` already is not the database's, but load that was shed.
    if (!unavailable || !(error instanceof Error) || unavailable === error || logged.has(error)) return unavailable;
    logged.add(error);
    metrics.databaseError();
    const now = performance.now();
    if (now - lastLogged < logIntervalMs) {
      suppressed += 1;
    } else {
      log.warn({ err: error, suppressed }, 'The database does not answer');
      lastLogged = now;
      suppressed = 0;
    }
    return unavailable;
  };
}
