import type { Resolvers } from '../generated/graph.ts';
import type { GuestOrderEvent, MenuEvent, OrderEvent, StoreEvent } from './entities.ts';
import { menuEventKinds, orderEventKinds } from './kinds.ts';
import { findEventOfMessage, pollEvents, pollStoreEvents } from './polling.ts';
import type { EventSource } from './source.ts';

export const eventResolvers = {
  Query: {
    events: (_root, args, context) => pollEvents(context, args),
    event: (_root, { messageId }, context) => findEventOfMessage(context, messageId),
  },
  Subscription: {
    orderEvents: {
      subscribe: (_root, args, context) => sourceOf(context).ofStore('orderEvents', orderEventKinds, args),
      resolve: (event: OrderEvent) => event,
    },
    menuEvents: {
      subscribe: (_root, args, context) => sourceOf(context).ofStore('menuEvents', menuEventKinds, args),
      resolve: (event: MenuEvent) => event,
    },
    storeEvents: {
      subscribe: (_root, args, context) => sourceOf(context).ofScope(args),
      resolve: (event: StoreEvent) => event,
    },
    guestOrderEvents: {
      subscribe: (_root, args, context) => sourceOf(context).ofGuestOrder(args),
      resolve: (event: GuestOrderEvent) => event,
    },
  },
  Store: {
    events: ({ id }, args, context) => pollStoreEvents(context, id, args),
    orderEventsCursor: async ({ id }, _args, { loaders }) => {
      const stream = { field: 'orderEvents', storeId: id } as const;
      return (await loaders.events.cursors.ofPage(stream, [], await loaders.eventPosition)).next;
    },
  },
  Event: {
    at: ({ createdAt }) => createdAt,
    order: ({ orderId }, _args, { loaders }) => (orderId === null ? null : loaders.orders.byId.load(orderId)),
  },
  OrderEvent: {
    cursor: (event, _args, { loaders }) => loaders.events.cursors.ofEvent('orderEvents', event),
    at: ({ createdAt }) => createdAt,
    order: ({ orderId }, _args, { loaders }) => (orderId === null ? null : loaders.orders.byId.load(orderId)),
  },
  MenuEvent: {
    cursor: (event, _args, { loaders }) => loaders.events.cursors.ofEvent('menuEvents', event),
    at: ({ createdAt }) => createdAt,
    menuRevision: ({ menuRevision }) => menuRevision ?? 0,
    store: ({ storeId }, _args, { loaders }) => loaders.stores.byId.load(storeId),
  },
  StoreEvent: {
    cursor: (event, _args, { loaders }) => loaders.events.cursors.ofEvent('storeEvents', event),
    at: ({ createdAt }) => createdAt,
    store: ({ storeId }, _args, { loaders }) => loaders.stores.byId.load(storeId),
  },
  GuestOrderEvent: {
    cursor: (event, _args, { loaders }) => loaders.events.cursors.ofEvent('guestOrderEvents', event),
    at: ({ createdAt }) => createdAt,
  },
} satisfies Resolvers;

function sourceOf({ eventSource }: { readonly eventSource?: EventSource }): EventSource {
  if (!eventSource) throw new Error('A subscription is executed without a source of events');
  return eventSource;
}
