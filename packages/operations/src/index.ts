import { Unauthenticated } from '@carte/base/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { readOperatorSets } from './contract/folders.ts';
import { createSetLimits, readSets } from './contract/sets.ts';
import { createCostOf, defaultQueryLimits, type QueryLimits } from './limits/limits.ts';
import { mountRest, type RestOptions } from './mount.ts';
import { openapiDocument } from './openapi/document.ts';
import { generateRoutes } from './sofa.ts';

export { Forbidden, InvalidInput, Unauthenticated } from '@carte/base/errors';

export interface OperationsOptions<Caller extends object = object>
  extends Partial<Omit<RestOptions<Caller>, 'schema' | 'sets' | 'authenticate'>> {
  /** The executable graph. */
  readonly schema: GraphQLSchema;
  /** Folders of `.graphql` files; each is a set, whose OpenAPI document is at `/openapi/{name of the folder}.json`. */
  readonly folders: readonly string[];
  /** Finds who calls; by default anyone may. */
  readonly authenticate?: (request: FastifyRequest) => Promise<Caller | null>;
  /** Creates the context value of one request. */
  readonly createContext?: (caller: Caller) => unknown;
  /** What an operation may select, and a request may cost. */
  readonly limits?: Partial<QueryLimits>;
  /** The version of the service, in its OpenAPI documents. */
  readonly version?: string;
}

/** A Fastify plugin that serves folders of operations on a graph as REST routes. It throws with every error in the files. */
export async function operations<Caller extends object = object>(
  app: FastifyInstance,
  {
    schema,
    folders,
    createContext = caller => caller,
    limits,
    version = '1.0.0',
    ...options
  }: OperationsOptions<Caller>,
): Promise<void> {
  const contracts = readSets(schema, readOperatorSets(folders), createSetLimits(schema, limits));
  const anyone = async () => ({}) as Caller;
  const { cost } = { ...defaultQueryLimits, ...limits };
  const ofRequests = { cost, objects: cost };
  await app.register(mountRest<Caller>, {
    authenticate: anyone,
    authorize([variant], caller) {
      if (caller === null) throw new Unauthenticated('The request has no credentials.');
      return variant;
    },
    costOf: createCostOf(schema),
    ...options,
    schema,
    sets: contracts.map(contract => ({
      contract,
      routes: generateRoutes(contract),
      createContext,
      limits: ofRequests,
    })),
  });
  for (const contract of contracts) {
    const document = openapiDocument(contract, { version });
    app.get(`/openapi/${contract.name}.json`, () => document);
  }
}
