import type { Resolvers } from '../generated/graph.ts';
import { cursorOf } from './cursor.ts';
import type { Event } from './entities.ts';
import type { EventSource } from './source.ts';

const payload = (event: Event) => event;

export const eventResolvers: Resolvers = {
  Subscription: {
    orderEvents: {
      subscribe: (_root, args, context) =>
        sourceOf(context).ofStore('orderEvents', ['ORDER_PLACED', 'ORDER_CHANGED', 'ORDERS_CHANGED'], args),
      resolve: payload,
    },
    menuEvents: {
      subscribe: (_root, args, context) =>
        sourceOf(context).ofStore('menuEvents', ['MENU_CHANGED', 'STOCK_CHANGED'], args),
      resolve: payload,
    },
    storeEvents: {
      subscribe: (_root, args, context) => sourceOf(context).ofScope(args),
      resolve: payload,
    },
  },
  Store: {
    orderEventsCursor: async ({ id }, _args, { loaders }) =>
      cursorOf('orderEvents', { storeId: id, position: await loaders.eventPosition }),
  },
  OrderEvent: {
    cursor: event => cursorOf('orderEvents', event),
    at: ({ createdAt }) => createdAt,
    order: ({ orderId }, _args, { loaders }) => (orderId === null ? null : loaders.orders.byId.load(orderId)),
  },
  MenuEvent: {
    cursor: event => cursorOf('menuEvents', event),
    at: ({ createdAt }) => createdAt,
    revision: ({ menuRevision }) => menuRevision ?? 0,
    store: ({ storeId }, _args, { loaders }) => loaders.stores.byId.load(storeId),
  },
  StoreEvent: {
    cursor: event => cursorOf('storeEvents', event),
    at: ({ createdAt }) => createdAt,
    store: ({ storeId }, _args, { loaders }) => loaders.stores.byId.load(storeId),
  },
};

function sourceOf({ eventSource }: { readonly eventSource?: EventSource }): EventSource {
  if (!eventSource) throw new Error('A subscription is executed without a source of events');
  return eventSource;
}
