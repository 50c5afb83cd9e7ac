import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { Unauthenticated } from '../errors.ts';
import { isObject } from '../input/json.ts';
import { HttpError } from '../rest/errors.ts';
import { previewOperation } from '../rest/preview.ts';
import { responseTo } from './error-handler.ts';
import { createCostCheck } from './operations.ts';

/** Previews an operation of the playground as a route and a tool, at `/openapi/preview`. It changes nothing, but needs a key, since it takes time. */
export const preview = fp(
  async (app: FastifyInstance) => {
    if (app.config.introspection) await app.register(async scope => mountPreview(scope));
  },
  {
    name: 'preview',
    dependencies: ['authentication', 'database-errors', 'fair-shares', 'graph', 'bodies'],
  },
);

const maxCharacters = 100_000;

function mountPreview(app: FastifyInstance): void {
  const { schema } = app.graph;
  const check = createCostCheck(schema, app.config.graphqlLimits);
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, detail } = responseTo(app, error, request);
    return reply.code(status).headers(headers).send({ detail });
  });
  app.post('/openapi/preview', {
    bodyLimit: 4 * maxCharacters,
    // Before the body is read.
    onRequest: async request => {
      await app.authenticate(request);
      if (!request.caller) throw new Unauthenticated('An API key is needed in the header x-api-key.');
      if (request.caller.scope.publishable) throw new HttpError(403, 'A publishable key is for web pages.');
    },
    handler: async ({ body }) => {
      const { query, operationName } = isObject(body) ? body : {};
      if (typeof query !== 'string' || query.length > maxCharacters) {
        throw new HttpError(422, `The body must have a "query" of at most ${maxCharacters} characters.`);
      }
      const name = typeof operationName === 'string' ? operationName : undefined;
      return app.runExpensive(async () => previewOperation(schema, { query, operationName: name }, check));
    },
  });
}
