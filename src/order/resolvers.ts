import type { Resolvers } from '../generated/graph.ts';
import { asksOnlyFor } from '../selection.ts';
import type { Store } from '../store/entities.ts';
import { checkSearch } from './arguments.ts';
import { type Order, storeFieldsInBrief } from './entities.ts';
import { endCursor } from './search.ts';

const isInBrief = asksOnlyFor(storeFieldsInBrief);

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
    store(order, _args, { loaders }, info) {
      // Then nothing else of it is looked at.
      if (order.storeInBrief && isInBrief(info)) return order.storeInBrief as Store;
      const store = loaders.stores.byId.load(order.store);
      return store instanceof Promise ? store.then(found => found ?? gone(order)) : (store ?? gone(order));
    },
    customer: ({ customerName, customerPhone }) => ({ name: customerName, phone: customerPhone }),
  },
};

function gone({ id, store }: Order): never {
  throw new Error(`Store ${store} of order ${id} is gone`);
}
