import type { FastifyBaseLogger } from 'fastify';
import { databaseFault } from '../database/faults.ts';
import type { Unavailable } from '../errors.ts';
import type { Metrics } from './metrics.ts';

const silence = 5_000;

/** Tells faults of the database from bugs. However many requests meet one, the log says so once in a while. */
export function createTranslate(log: FastifyBaseLogger, metrics: Metrics): (error: unknown) => Unavailable | undefined {
  const met = new WeakSet<Error>();
  let told = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return error => {
    const fault = databaseFault(error);
    // One that is `Unavailable` already is not the database's, but that of a service which has too much to do.
    if (!fault || !(error instanceof Error) || fault === error || met.has(error)) return fault;
    met.add(error);
    metrics.databaseFault();
    const now = performance.now();
    if (now - told < silence) {
      untold += 1;
    } else {
      log.warn({ err: error, requestsSinceLastTold: untold }, 'The database does not answer');
      told = now;
      untold = 0;
    }
    return fault;
  };
}
