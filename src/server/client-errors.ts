import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, toHttpError } from '../rest/errors.ts';

/** The response to an error of a route outside of a set: that of a client error, or 500 for a bug, which is logged. */
export function responseTo(app: FastifyInstance, error: unknown, request: FastifyRequest): HttpError {
  const known = toHttpError(app.translateError(error) ?? error);
  if (known) return known;
  request.log.error({ err: error }, 'A request failed');
  return new HttpError(500, 'Internal server error', { 'x-request-id': request.id });
}
