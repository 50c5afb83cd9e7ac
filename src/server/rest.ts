import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { authorize } from '../graphql/authorization.ts';
import { createRouteContexts, readRevisions } from '../graphql/context.ts';
import { createCostOf } from '../graphql/limits.ts';
import { mountRest } from '../rest/mount.ts';
import { openapiDocument } from '../rest/openapi/document.ts';
import { generateRoutes } from '../rest/sofa.ts';
import { mountDocs } from './pages/docs.ts';

/** Mounts the routes of `/v1`, and their documentation. */
export const rest = fp(
  async (app: FastifyInstance) => {
    const { schema, contract, dependencies } = app.graph;
    const routes = generateRoutes(contract);
    await app.register(mountRest, {
      schema,
      contract,
      routes,
      responseCache: app.responseCache,
      bodyLimit: app.config.bodyLimit,
      authenticate: app.authenticate,
      authorize,
      requests: app.shares.requests,
      runExpensive: app.runExpensive,
      costOf: createCostOf(schema),
      createContext: createRouteContexts(dependencies),
      readRevisions: ({ scope }, store) => readRevisions(dependencies, scope, store),
      translateError: app.translateError,
    });
    mountDocs(app, openapiDocument(contract, routes));
  },
  {
    name: 'rest',
    dependencies: ['authentication', 'database-errors', 'fair-shares', 'graph', 'protocol', 'response-cache'],
  },
);
