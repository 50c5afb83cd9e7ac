import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { HttpError, toHttpError } from '../rest/errors.ts';
import { sendNotFound } from './pages/not-found.ts';

/** Sets the handlers for unknown paths and for errors of routes outside of `/v1` and `/graphql`, which have their own. */
export const errorHandler = fp(
  async (app: FastifyInstance) => {
    app.setNotFoundHandler(sendNotFound);
    app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
      // Fastify parses a body even where there is no route.
      if (request.is404) return sendNotFound(request, reply);
      const status = error.statusCode ?? 500;
      if (status < 500) return reply.code(status).send({ detail: error.message });
      request.log.error(error);
      return reply.code(500).header('x-request-id', request.id).send({ detail: 'Internal server error' });
    });
  },
  { name: 'error-handler' },
);

/** The response to an error of a route outside of a set: that of a client error, or 500 for a bug, which is logged. */
export function responseTo(app: FastifyInstance, error: unknown, request: FastifyRequest): HttpError {
  const known = toHttpError(app.translateError(error) ?? error);
  if (known) return known;
  request.log.error({ err: error }, 'A request failed');
  return new HttpError(500, 'Internal server error', { 'x-request-id': request.id });
}
