import type { Resolvers } from '../generated/graph.ts';
import { checkSearch } from './arguments.ts';
import { endCursor } from './search.ts';

export const orderResolvers: Resolvers = {
  Query: {
    order: (_root, { id }, { loaders }) => loaders.orderById.load(id),
  },
  Store: {
    orders: (store, args) => ({ store, search: checkSearch(args), asked: { orders: false, count: false } }),
  },
  OrderPage: {
    nodes: async (page, _args, { loaders }) => (await loaders.ordersByStore.load(page)).orders,
    count: (page, _args, { loaders }) => loaders.orderCountByStore.load(page),
    pageIndex: ({ search }) => search.pageIndex,
    pageSize: ({ search }) => search.pageSize,
    hasNextPage: async (page, _args, { loaders }) => (await loaders.ordersByStore.load(page)).hasNextPage,
    endCursor: async (page, _args, { loaders }) => endCursor(await loaders.ordersByStore.load(page)),
  },
  Order: {
    store: async (order, _args, { loaders }) => {
      const store = await loaders.storeById.load(order.store);
      if (!store) throw new Error(`Store ${order.store} of order ${order.id} is gone`);
      return store;
    },
    customer: ({ customerName, customerPhone }) => ({ name: customerName, phone: customerPhone }),
  },
};
