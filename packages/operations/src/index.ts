import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { readOperatorSets } from './contract/folders.ts';
import { readSets } from './contract/sets.ts';
import { mountRest, type RestOptions } from './mount.ts';
import { openapiDocument } from './openapi/document.ts';
import { generateRoutes } from './sofa.ts';

export { InvalidInput } from '@carte/base/errors';

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
  /** The version of the service, in its OpenAPI documents. */
  readonly version?: string;
}

/** A Fastify plugin that serves folders of operations on a graph as REST routes. It throws with every error in the files. */
export async function operations<Caller extends object = object>(
  app: FastifyInstance,
  { schema, folders, createContext = caller => caller, version = '1.0.0', ...options }: OperationsOptions<Caller>,
): Promise<void> {
  const contracts = readSets(schema, readOperatorSets(folders));
  const anyone = async () => ({}) as Caller;
  await app.register(mountRest<Caller>, {
    authenticate: anyone,
    authorize: ([variant]) => variant,
    costOf: () => 0,
    ...options,
    schema,
    sets: contracts.map(contract => ({ contract, routes: generateRoutes(contract), createContext })),
  });
  for (const contract of contracts) {
    const document = openapiDocument(contract, { version });
    app.get(`/openapi/${contract.name}.json`, () => document);
  }
}
