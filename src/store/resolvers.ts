import { checkSlice } from '../database/paging.ts';
import type { Resolvers } from '../generated/graph.ts';

export const storeResolvers: Resolvers = {
  Query: {
    store: (_root, { id }, { loaders }) => loaders.stores.byId.load(id),
    stores: (_root, slice, { loaders }) => loaders.stores.inSlice(slice),
  },
  Merchant: {
    stores: async (merchant, slice, { loaders }) => {
      const { skip, limit } = checkSlice(slice);
      return (await loaders.stores.byMerchant.load(merchant.id)).slice(skip, skip + limit);
    },
  },
  Store: {
    merchant: ({ merchant, joinedMerchant }, _args, { loaders }) => {
      if (joinedMerchant !== undefined) return joinedMerchant;
      return merchant ? loaders.merchants.byId.load(merchant) : null;
    },
  },
};
