import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { authorize } from '../graphql/authorization.ts';
import { createRouteContexts, readRevisions } from '../graphql/context.ts';
import { createCostOf } from '../graphql/limits.ts';
import { createReadableCheck, throwForbidden } from '../graphql/readable.ts';
import { mountRest } from '../rest/mount.ts';
import { openapiDocument } from '../rest/openapi/document.ts';
import { generateRoutes } from '../rest/sofa.ts';
import { mountDocs } from './pages/docs.ts';

/** Mounts the routes of all sets, and their documentation. */
export const rest = fp(
  async (app: FastifyInstance) => {
    const { schema, dependencies } = app.graph;
    const { cost, objects } = app.config.graphqlLimits;
    const createContext = createRouteContexts(dependencies);
    const createLimited = createRouteContexts({ ...dependencies, maxCost: cost, maxObjects: objects });
    const sets = app.graph.sets.map(contract => ({
      contract,
      routes: generateRoutes(contract),
      ...(contract.isBuiltIn ? { createContext } : { createContext: createLimited, limits: { cost, objects } }),
    }));
    const checkReadable = createReadableCheck(schema);
    await app.register(mountRest, {
      schema,
      sets,
      responseCache: app.responseCache,
      bodyLimit: app.config.bodyLimit,
      authenticate: app.authenticate,
      authorize: ({ rootField, document }, caller) => {
        authorize(rootField, caller);
        throwForbidden(checkReadable({ document }, caller?.scope));
      },
      requests: app.shares.requests,
      runExpensive: app.runExpensive,
      costOf: createCostOf(schema),
      readRevisions: ({ scope }, store) => readRevisions(dependencies, scope, store),
      translateError: app.translateError,
    });
    mountDocs(
      app,
      sets.map(({ contract, routes }) => ({ contract, document: openapiDocument(contract, routes) })),
    );
  },
  {
    name: 'rest',
    dependencies: ['authentication', 'database-errors', 'fair-shares', 'graph', 'protocol', 'response-cache'],
  },
);
