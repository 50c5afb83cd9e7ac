import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { toUnavailable } from '../database/errors.ts';
import type { Unavailable } from '../errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Translates a database error to `Unavailable`; undefined for any other error. */
    translateError(error: unknown): Unavailable | undefined;
  }
}

/** Decorates the server with the translation of database errors, which it counts and logs. */
export const databaseErrors = fp(
  async (app: FastifyInstance) => {
    app.decorate('translateError', createTranslate(app, app.metrics.databaseError));
  },
  { name: 'database-errors', dependencies: ['metrics'] },
);

const logIntervalMs = 5_000;

/** Translates database errors to `Unavailable`, counts them, and logs at most one in five seconds. */
function createTranslate(
  { log }: FastifyInstance,
  onDatabaseError: () => void,
): (error: unknown) => Unavailable | undefined {
  const logged = new WeakSet<Error>();
  let lastLogged = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return error => {
    const unavailable = toUnavailable(error);
    // An error that is `Unavailable` already comes from load shedding.
    if (!unavailable || !(error instanceof Error) || unavailable === error || logged.has(error)) return unavailable;
    logged.add(error);
    onDatabaseError();
    const now = performance.now();
    if (now - lastLogged < logIntervalMs) {
      suppressed += 1;
    } else {
      log.warn({ err: error, suppressed }, 'The database does not respond');
      lastLogged = now;
      suppressed = 0;
    }
    return unavailable;
  };
}
