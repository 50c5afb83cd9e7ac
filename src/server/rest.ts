import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { createRouteAuthorization, isForGuests } from '../graphql/authorization.ts';
import { createRouteContexts } from '../graphql/context.ts';
import { createCostOf } from '../graphql/limits.ts';
import { mountRest, type RestOptions } from '../rest/mount.ts';
import { openapiDocument } from '../rest/openapi/document.ts';
import { generateRoutes } from '../rest/sofa.ts';
import { once } from './pages/asset.ts';
import { mountDocs } from './pages/docs.ts';

/** Mounts the routes of all sets, and their documentation. */
export const rest = fp(
  async (app: FastifyInstance) => {
    const sets = createSets(app).map(set => ({ ...set, routes: generateRoutes(set.contract) }));
    await app.register(mountRest, { ...createRestOptions(app), sets });
    mountDocs(
      app,
      sets.map(({ contract, routes }) => ({ contract, document: once(() => openapiDocument(contract, routes)) })),
    );
  },
  {
    name: 'rest',
    dependencies: ['authentication', 'database-errors', 'fair-shares', 'graph', 'protocol'],
  },
);

/** The sets of operations, those of the operator with limits. */
export function createSets({ graph, config }: FastifyInstance) {
  const { cost, objects } = config.graphqlLimits;
  const createContext = createRouteContexts(graph.dependencies);
  const createLimited = createRouteContexts({ ...graph.dependencies, maxCost: cost, maxObjects: objects });
  return graph.sets.map(contract => ({
    contract,
    ...(contract.isBuiltIn ? { createContext } : { createContext: createLimited, limits: { cost, objects } }),
  }));
}

/** What the execution of operations needs. */
export function createRestOptions(app: FastifyInstance): Omit<RestOptions, 'sets'> {
  const { schema, dependencies } = app.graph;
  return {
    schema,
    responseCache: app.responseCache,
    bodyLimit: app.config.bodyLimit,
    authenticate: app.authenticate,
    authorize: createRouteAuthorization(schema),
    isForGuests,
    runRequest: app.runRequest,
    runExpensive: app.runExpensive,
    costOf: createCostOf(schema),
    readRevisions: dependencies.repositories.stores.readRevisions,
    translateError: app.translateError,
  };
}
