export const eventKinds = [
  'ORDER_PLACED',
  'ORDER_CHANGED',
  'ORDERS_CHANGED',
  'MENU_CHANGED',
  'STOCK_CHANGED',
  'STORE_CREATED',
  'STORE_CHANGED',
  'STORE_DELETED',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** The type of an event in messages to webhooks and on the command line: `order.placed` for ORDER_PLACED. */
export const eventType = (kind: EventKind): string => kind.toLowerCase().replace('_', '.');
