import { connectionResolvers } from '../database/connection.ts';
import type { Resolvers } from '../generated/graph.ts';

export const merchantResolvers: Resolvers = {
  Query: {
    merchant: (_root, { id }, { loaders }) => loaders.merchants.byId.load(id),
    merchants: (_root, args, { loaders }) => loaders.merchants.list(args),
  },
  MerchantConnection: connectionResolvers('merchant'),
};
