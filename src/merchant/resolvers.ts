import { saveOne } from '../database/save.ts';
import type { Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../lists/paging.ts';
import { nodeIdAs } from '../node-id.ts';
import { saveMerchants } from './save.ts';

export const merchantResolvers = {
  Query: {
    merchant: (_root, { id }, { loaders }) => loaders.merchants.byId.load(id),
    merchants: (_root, args, { loaders }) => loaders.merchants.list(args),
  },
  Merchant: { nodeId: nodeIdAs('Merchant') },
  MerchantConnection: connectionResolvers('merchant'),
  Mutation: {
    saveMerchant: async (_root, { input }, { loaders, forkEntityManager }) => {
      await saveOne(() => saveMerchants(forkEntityManager(), [input]));
      loaders.clear();
      const merchant = await loaders.merchants.byId.load(input.id);
      return merchant && { merchant };
    },
  },
} satisfies Resolvers;
