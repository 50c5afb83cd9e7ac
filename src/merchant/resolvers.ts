import type { Resolvers } from '../generated/graph.ts';

export const merchantResolvers: Resolvers = {
  Query: {
    merchant: (_root, { id }, { loaders }) => loaders.merchants.byId.load(id),
    merchants: (_root, pagination, { loaders }) => loaders.merchants.list(pagination),
  },
};
