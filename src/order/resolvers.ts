import { selectsOnly } from '../cache/selected-fields.ts';
import { edgesOf, pageInfoOf } from '../database/connection.ts';
import type { Resolvers } from '../generated/graph.ts';
import type { Store } from '../store/entities.ts';
import { checkSearch } from './arguments.ts';
import { type Order, storeSummaryFields } from './entities.ts';

const selectsSummaryOnly = selectsOnly([...storeSummaryFields, 'localizedNames']);

export const orderResolvers: Resolvers = {
  Query: {
    order: (_root, { id }, { loaders }) => loaders.orders.byId.load(id),
  },
  Store: {
    ordersRevision: (store, _args, { loaders }) => loaders.stores.ordersRevisionOf(store),
    orders: (store, args) => ({ store, search: checkSearch(args), selected: { orders: false, count: false } }),
  },
  OrderConnection: {
    nodes: async (page, _args, { loaders }) => (await loaders.orderPages.found.load(page)).nodes,
    edges: async (page, _args, { loaders }) => edgesOf('order', (await loaders.orderPages.found.load(page)).nodes),
    pageInfo: async (page, _args, { loaders }) => pageInfoOf('order', await loaders.orderPages.found.load(page)),
    count: (page, _args, { loaders }) => loaders.orderPages.counts.load(page),
    pageIndex: ({ search }) => search.pageIndex,
    pageSize: ({ search }) => search.size,
    hasNextPage: async (page, _args, { loaders }) => (await loaders.orderPages.found.load(page)).hasNextPage,
    endCursor: async (page, _args, { loaders }) =>
      pageInfoOf('order', await loaders.orderPages.found.load(page)).endCursor,
  },
  Order: {
    store(order, _args, { loaders }, info) {
      if (order.loadedStore) return order.loadedStore;
      // Has only some fields of a store, but no other is selected.
      if (order.storeSummary && selectsSummaryOnly(info)) return order.storeSummary as Store;
      return loaders.stores.byId.load(order.store).then(store => store ?? gone(order));
    },
    customer: ({ customerName, customerPhone }) => ({ name: customerName, phone: customerPhone }),
  },
};

function gone({ id, store }: Order): never {
  throw new Error(`Store ${store} of order ${id} is gone`);
}
