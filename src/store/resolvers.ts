import { connectionResolvers } from '../database/connection.ts';
import type { Resolvers } from '../generated/graph.ts';
import { isObject } from '../input/json.ts';
import type { Store } from './entities.ts';

export const storeResolvers: Resolvers = {
  Query: {
    store: (_root, { id }, { loaders }) => loaders.stores.byId.load(id),
    stores: (_root, args, { loaders }) => loaders.stores.list(args),
  },
  Merchant: {
    stores: (merchant, args, { loaders }) => loaders.stores.listOfMerchant(merchant.id, args),
  },
  StoreConnection: connectionResolvers('store'),
  Store: {
    localizedNames: ({ name }) => textsByLanguage(name),
    merchant: ({ merchant, joinedMerchant }, _args, { loaders }) => {
      if (joinedMerchant !== undefined) return joinedMerchant;
      return merchant ? loaders.merchants.byId.load(merchant) : null;
    },
  },
};

/** The documented shape of a name in `StorePartialInfo`: maps of strings. Omits entries of another shape. */
function textsByLanguage(name: Store['name']): Record<string, Record<string, string>> {
  const entries = Object.entries(name).filter(
    (entry): entry is [string, Record<string, string>] =>
      isObject(entry[1]) && Object.values(entry[1]).every(text => typeof text === 'string'),
  );
  return Object.fromEntries(entries);
}
