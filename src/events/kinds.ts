import type { MenuEventKind, OrderEventKind, StoreEventKind } from '../generated/graph.ts';
import type { ReadPermission } from '../scope.ts';

/** The kinds of a stream, as the graph has them: one that is missing or unknown here does not compile. */
const listKinds = <Kind extends string>(kinds: Readonly<Record<Kind, true>>) => Object.keys(kinds) as Kind[];

export const orderEventKinds = listKinds<OrderEventKind>({
  ORDER_PLACED: true,
  ORDER_CHANGED: true,
  ORDERS_CHANGED: true,
});
export const menuEventKinds = listKinds<MenuEventKind>({ MENU_CHANGED: true, STOCK_CHANGED: true });
export const storeEventKinds = listKinds<StoreEventKind>({
  STORE_CREATED: true,
  STORE_CHANGED: true,
  STORE_DELETED: true,
  ORDERING_CHANGED: true,
  HOURS_CHANGED: true,
});

/** A publishable key was revoked, rotated or changed, whose id is in place of a store's: only for purges of caches. */
export const keyEventKind = 'KEY_CHANGED';

export type EventKind = OrderEventKind | MenuEventKind | StoreEventKind;
export const eventKinds: readonly EventKind[] = [...orderEventKinds, ...menuEventKinds, ...storeEventKinds];

/** The permission for reading that the events of a kind need. */
export const readPermissionOf = (kind: EventKind): ReadPermission =>
  orderEventKinds.some(candidate => candidate === kind) ? 'READ_ORDERS' : 'READ_MENUS';

/** The type of an event in messages to webhooks and on the command line: `order.placed` for ORDER_PLACED. */
export const eventType = (kind: EventKind): string => kind.toLowerCase().replace('_', '.');
