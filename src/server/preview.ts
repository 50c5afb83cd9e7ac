import { Unauthenticated } from '@carte/base/errors';
import { isObject } from '@carte/base/json';
import { HttpError } from '@carte/operations/errors';
import { parseDocument, withPlace } from '@carte/operations/limits/parse-document';
import { previewOperation } from '@carte/operations/preview';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { GraphQLError, Source } from 'graphql';
import { handleErrors } from './error-handler.ts';
import { createOwnLimits } from './operations.ts';

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

/** More than a document may have. */
const maxBodyBytes = 400_000;

function mountPreview(app: FastifyInstance): void {
  const { publicSchema: schema } = app.graph;
  const limits = createOwnLimits(schema, app.config.graphqlLimits);
  handleErrors(app, ({ detail }) => ({ detail }));
  app.post('/openapi/preview', {
    bodyLimit: maxBodyBytes,
    // Before the body is read.
    onRequest: async request => {
      await app.authenticate(request);
      if (!request.caller) throw new Unauthenticated('An API key is needed in the header x-api-key.');
      if (request.caller.scope.publishable) throw new HttpError(403, 'A publishable key is for web pages.');
    },
    handler: async ({ body }) => {
      const { query, operationName } = isObject(body) ? body : {};
      if (typeof query !== 'string') throw new HttpError(422, 'The body must have a "query".');
      const name = typeof operationName === 'string' ? operationName : undefined;
      return app.runExpensive(async () => {
        const document = parseDocument(new Source(query));
        if (document instanceof GraphQLError) throw new HttpError(422, withPlace(document));
        const [error] = limits.check(document, name);
        if (error) throw new HttpError(422, withPlace(error));
        return previewOperation(schema, { document, operationName: name }, limits);
      });
    },
  });
}
