import { isObject } from '@carte/base/json';
import { saveOne } from '../database/save.ts';
import type { Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../lists/paging.ts';
import { nodeIdAs } from '../node-id.ts';
import { currencyOf, decimalOf } from './currency.ts';
import type { Store } from './entities.ts';
import { orderingAt, setStoreOrdering } from './ordering.ts';
import { saveStores } from './save.ts';

export const storeResolvers = {
  Query: {
    store: (_root, { id }, { loaders }) => loaders.stores.byId.load(id),
    stores: (_root, args, { loaders }) => loaders.stores.list(args),
  },
  Mutation: {
    saveStore: async (_root, { input }, { loaders, forkEntityManager }) => {
      await saveOne(() => saveStores(forkEntityManager(), [input]));
      loaders.clear();
      const store = await loaders.stores.byId.load(input.id);
      return store && { store };
    },
    setStoreOrdering: async (_root, { input: { storeId, ...change } }, { loaders, forkEntityManager }) => {
      const found = await loaders.stores.byId.load(storeId);
      if (!found || !(await setStoreOrdering(forkEntityManager(), found, change))) return null;
      loaders.clear();
      const store = await loaders.stores.byId.load(storeId);
      return store && { store };
    },
  },
  Merchant: {
    stores: (merchant, args, { loaders }) => loaders.stores.listOfMerchant(merchant.id, args),
  },
  StoreConnection: connectionResolvers('store'),
  Store: {
    nodeId: nodeIdAs('Store'),
    address: store => store,
    currency: currencyOf,
    revision: (store, _args, { loaders }) => store.revision ?? loaders.stores.revisionOf(store),
    ordering: store => orderingAt(store, new Date()),
    name: ({ name }) => ({ translations: translationsIn(name) }),
    importedName: ({ name }) => name,
    localizedNames: ({ name }) => textsByLanguage(name),
    merchant: ({ merchant, joinedMerchant }, _args, { loaders }) => {
      if (joinedMerchant !== undefined) return joinedMerchant;
      return merchant ? loaders.merchants.byId.load(merchant) : null;
    },
  },
  Money: {
    decimal: ({ amount, currency }) => (currency === null ? null : decimalOf({ amount, currency })),
  },
  PhoneNumber: {
    createdAt: ({ createDateTime }) => new Date(createDateTime),
  },
} satisfies Resolvers;

type Texts = Readonly<Record<string, string>>;

const isTexts = (value: unknown): value is Texts =>
  isObject(value) && Object.values(value).every(text => typeof text === 'string');

function translationsIn(name: Store['name']): Texts {
  if (isTexts(name.translations)) return name.translations;
  return isTexts(name) ? name : {};
}

/** The documented shape of a name in `StorePartialInfo`: maps of strings. Omits entries of another shape. */
function textsByLanguage(name: Store['name']): Record<string, Texts> {
  return Object.fromEntries(Object.entries(name).filter((entry): entry is [string, Texts] => isTexts(entry[1])));
}
