import type { Resolvers } from '../generated/graph.ts';
import { checkSearch } from './arguments.ts';
import { endCursor } from './search.ts';

export const orderResolvers: Resolvers = {
  Query: {
    order: (_root, { id }, { loaders }) => loaders.orders.byId.load(id),
  },
  Store: {
    orders: (store, args) => ({ store, search: checkSearch(args), asked: { orders: false, count: false } }),
  },
  OrderPage: {
    nodes: async (page, _args, { loaders }) => (await loaders.orderPages.found.load(page)).orders,
    count: (page, _args, { loaders }) => loaders.orderPages.counts.load(page),
    pageIndex: ({ search }) => search.pageIndex,
    pageSize: ({ search }) => search.pageSize,
    hasNextPage: async (page, _args, { loaders }) => (await loaders.orderPages.found.load(page)).hasNextPage,
    endCursor: async (page, _args, { loaders }) => endCursor(await loaders.orderPages.found.load(page)),
  },
  Order: {
    store: async (order, _args, { loaders }) => {
      const store = await loaders.stores.byId.load(order.store);
      if (!store) throw new Error(`Store ${order.store} of order ${order.id} is gone`);
      return store;
    },
    customer: ({ customerName, customerPhone }) => ({ name: customerName, phone: customerPhone }),
  },
};
