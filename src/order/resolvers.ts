import type { EntityManager } from '@mikro-orm/postgresql';
import { selectsOnly } from '../execution/selected-fields.ts';
import type { Resolvers } from '../generated/graph.ts';
import { edgesOf, pageInfoOf } from '../lists/connection.ts';
import type { Store } from '../store/entities.ts';
import { checkSearch } from './arguments.ts';
import { type Order, storeSummaryFields } from './entities.ts';
import { checkQuoteInput } from './input.ts';
import { readLines } from './lines.ts';
import { checkMarks, markOrders, requireOrders } from './mark.ts';
import { placeOrder } from './place.ts';
import { quoteOrder } from './quote.ts';
import { changeOrderStatus, transitions } from './transitions.ts';

const selectsSummaryOnly = selectsOnly([...storeSummaryFields, 'localizedNames']);

/** Runs a write, after which the request reads everything afresh, also the next of several mutations. */
async function write<T>({ loaders }: { readonly loaders: { clear(): void } }, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    loaders.clear();
  }
}

export const orderResolvers = {
  Query: {
    order: (_root, { id }, { loaders }) => loaders.orders.byId.load(id),
    quoteOrder: async (_root, { input }, { loaders }) => {
      const store = await loaders.stores.byId.load(input.storeId);
      if (!store) return null;
      const configuration = await loaders.menus.byStore.load(store);
      const inputErrors = [...checkQuoteInput(input)];
      return { store, ...quoteOrder(input, { store, configuration, now: new Date(), inputErrors }) };
    },
  },
  Mutation: {
    placeOrder: (_root, { input }, context) =>
      write(context, async () => {
        const { stores, menus } = context.loaders;
        const store = await stores.byId.load(input.storeId);
        if (!store) return null;
        const loadOrderable = (tx: EntityManager) => menus.byStore.loadIn(tx, store);
        const order = await placeOrder(context.forkEntityManager(), store, { input, loadOrderable });
        return order && { order };
      }),
    changeOrderStatus: (_root, { orderId, ...change }, context) =>
      write(context, async () => {
        const found = await context.loaders.orders.byId.load(orderId);
        const order = found && (await changeOrderStatus(context.forkEntityManager(), found, change));
        return order && { order };
      }),
    markOrders: async (_root, { orderIds, ...marks }, context) => {
      checkMarks(orderIds, marks);
      const load = () => Promise.all(orderIds.map(id => context.loaders.orders.byId.load(id)));
      await write(context, async () =>
        markOrders(context.forkEntityManager(), requireOrders(orderIds, await load()), marks),
      );
      return { orders: (await load()).filter(order => order !== null) };
    },
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
    nextStatuses: ({ status }) => transitions[status],
    lines: readLines,
    customer: ({ customerName, customerPhone }) => ({ name: customerName, phone: customerPhone }),
  },
  OrderQuote: {
    lines: ({ order, store }) =>
      order ? readLines({ store: store.id, loadedStore: store, items: order.items }) : null,
    price: ({ order }) => order?.price ?? null,
    tax: ({ order }) => order?.tax ?? null,
    readyBy: ({ order }) => order?.readyBy ?? null,
  },
  OrderProblem: {
    path: ({ path }) => path.map(String),
    code: ({ type }) => type,
  },
  OrderLine: {
    item: async ({ owner, itemExternalId }, _args, { loaders }) =>
      (await loaders.orderedMenus.load(owner))?.items.get(itemExternalId) ?? null,
  },
  OrderLineModifier: {
    modifierItem: async ({ owner, modifierItemExternalId }, _args, { loaders }) =>
      (await loaders.orderedMenus.load(owner))?.modifierItems.get(modifierItemExternalId) ?? null,
  },
} satisfies Resolvers;

function gone({ id, store }: Order): never {
  throw new Error(`Store ${store} of order ${id} is gone`);
}
