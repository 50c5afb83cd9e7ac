import { createCostOf } from '@carte/operations/limits/limits';
import { mountRest, type RestOptions } from '@carte/operations/mount';
import { generateRoutes } from '@carte/operations/sofa';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { createSharedReads, findShareable } from '../execution/cacheable.ts';
import { createRouteAuthorization } from '../graphql/authorization.ts';
import { createRouteContexts } from '../graphql/context.ts';
import { createCoalescing } from '../rest/coalescing.ts';
import { createGuests } from '../rest/guests.ts';
import { describeSet } from '../rest/openapi.ts';
import { createDependenciesOf, createRevisionsOf } from '../rest/revisions.ts';
import type { Caller } from '../scope.ts';
import { once } from './pages/asset.ts';
import { mountDocs } from './pages/docs.ts';

/** Mounts the routes of all sets, and their documentation. */
export const rest = fp(
  async (app: FastifyInstance) => {
    const sets = createSets(app).map(set => ({ ...set, routes: generateRoutes(set.contract) }));
    await app.register(mountRest, { ...createRestOptions(app), sets });
    mountDocs(app, {
      sets: sets.map(({ contract }) => ({ contract, document: once(() => describeSet(contract)) })),
      schema: app.config.introspection ? app.graph.publicSchema : undefined,
    });
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
export function createRestOptions(app: FastifyInstance): Omit<RestOptions<Caller>, 'sets'> {
  const { schema, dependencies } = app.graph;
  const { readRevisions } = dependencies.repositories.stores;
  const shareRead = createSharedReads(readRevisions);
  return {
    schema,
    responseCache: app.responseCache,
    bodyLimit: app.config.bodyLimit,
    async authenticate(request) {
      await app.authenticate(request);
      return request.caller;
    },
    hasApiKeys: true,
    // Of publishable keys.
    queryParameters: ['key'],
    authorize: createRouteAuthorization(schema),
    audience: createGuests(schema),
    runRequest: app.runRequest,
    runExpensive: app.runExpensive,
    costOf: createCostOf(schema),
    dependenciesOf: createDependenciesOf(schema),
    revisionsOf: createRevisionsOf(schema, readRevisions),
    coalesce: createCoalescing(),
    onRead({ document, name, parameters }) {
      // One with parameters from headers varies by them.
      const shareable = parameters.some(({ header }) => header !== undefined)
        ? undefined
        : findShareable(schema, document, name);
      if (!shareable) return undefined;
      const { storeIdOf, hasMenu } = shareable;
      return async (request, variables, { dueInSeconds }) => {
        const { caller, isKeyInUrl } = request;
        if (caller && isKeyInUrl)
          request.sharedRead = await shareRead(caller, { storeId: storeIdOf(variables), hasMenu }, dueInSeconds);
      };
    },
    translateError: app.translateError,
  };
}
