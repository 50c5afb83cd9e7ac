import type { Resolvers } from '../generated/graph.ts';

export const merchantResolvers: Resolvers = {
  Query: {
    merchant: (_root, { id }, { loaders }) => loaders.merchantById.load(id),
    merchants: (_root, slice, { loaders }) => loaders.merchantsInSlice(slice),
  },
};
