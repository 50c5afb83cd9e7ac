import type { FastifyInstance } from 'fastify';
import { toUnavailable } from '../database/errors.ts';
import type { Unavailable } from '../errors.ts';
import { sendNotFound } from './pages/not-found.ts';

/** Sets the handlers for unknown paths and for errors of routes outside of `/v1` and `/graphql`, which have their own. */
export function handleErrors(app: FastifyInstance): void {
  app.setNotFoundHandler(sendNotFound);
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    // Fastify parses a body even where there is no route.
    if (request.is404) return sendNotFound(request, reply);
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(status).send({ detail: error.message });
    request.log.error(error);
    return reply.code(500).header('x-request-id', request.id).send({ detail: 'Internal server error' });
  });
}

const logIntervalMs = 5_000;

/** Translates database errors to `Unavailable`, counts them, and logs at most one in five seconds. */
export function createTranslate(
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
