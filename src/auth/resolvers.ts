import type { EntityManager } from '@mikro-orm/postgresql';
import type { Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../lists/paging.ts';
import { nodeIdAs } from '../node-id.ts';
import { type AccessScope, isAdmin, readPermissionsOf, requireKey, requireReading } from '../scope.ts';
import type { ApiKey } from './entities.ts';
import { findKey, issueKey, revokeKey, rotateKey } from './keys.ts';
import type { keyLoaders } from './repository.ts';

/** Loads a key that exists: it was just authenticated or written. */
const loadApiKey = async (
  { id }: { readonly id: string },
  _args: object,
  { forkEntityManager }: { readonly forkEntityManager: () => EntityManager },
): Promise<ApiKey> => {
  const key = await findKey(forkEntityManager(), id);
  if (!key) throw new Error(`API key ${id} is gone`);
  return key;
};

interface KeyContext {
  readonly scope: AccessScope | undefined;
  readonly loaders: { readonly apiKeys: ReturnType<typeof keyLoaders> };
}

/** Loads a key for one that manages keys, or for itself. */
export const loadKeyNode = async (id: string, { scope, loaders }: KeyContext): Promise<ApiKey | null> =>
  isAdmin(scope) || scope?.keyId === id ? loaders.apiKeys.byId.load(id) : null;

export const authResolvers = {
  Query: {
    viewer: (_root, _args, context) => loadApiKey({ id: requireKey(context.scope).keyId ?? '' }, {}, context),
    apiKeys: (_root, args, { loaders }) => loaders.apiKeys.list(args),
  },
  Mutation: {
    createApiKey: (_root, { input }, { scope, forkEntityManager }) => {
      requireReading(scope, readPermissionsOf(input));
      return issueKey(forkEntityManager(), input);
    },
    rotateApiKey: async (_root, { input: { apiKeyId } }, { scope, forkEntityManager }) => {
      const em = forkEntityManager();
      const key = await findKey(em, apiKeyId);
      if (key) requireReading(scope, readPermissionsOf(key));
      return rotateKey(em, apiKeyId);
    },
    revokeApiKey: (_root, { input }, { forkEntityManager }) => revokeKey(forkEntityManager(), input.apiKeyId),
  },
  CreateApiKeyPayload: { apiKey: loadApiKey, secret: ({ key }) => key },
  RotateApiKeyPayload: { apiKey: loadApiKey, secret: ({ key }) => key },
  RevokeApiKeyPayload: { apiKey: key => key },
  ApiKeyConnection: connectionResolvers<ApiKey>('key'),
  ApiKey: {
    nodeId: nodeIdAs('ApiKey'),
    readPermissions: key => [...readPermissionsOf(key)],
    scope: async ({ id, allAccess }, _args, { loaders }) => {
      return { all: allAccess, grants: await loaders.apiKeys.grants.load(id) };
    },
  },
  // A merchant or store that was deleted meanwhile is left out, as its grant is.
  ApiKeyScope: {
    merchants: async ({ grants }, _args, { loaders }) => {
      const ids = grants.flatMap(({ merchant }) => merchant ?? []);
      return (await Promise.all(ids.map(id => loaders.merchants.byId.load(id)))).filter(merchant => merchant !== null);
    },
    stores: async ({ grants }, _args, { loaders }) => {
      const ids = grants.flatMap(({ store }) => store ?? []);
      return (await Promise.all(ids.map(id => loaders.stores.byId.load(id)))).filter(store => store !== null);
    },
  },
} satisfies Resolvers;
