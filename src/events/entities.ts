import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityRow } from '../database/query.ts';
import type { MenuEventKind, OrderEventKind, OrderStatus, StoreEventKind } from '../generated/graph.ts';
import type { Order } from '../order/entities.ts';
import type { EventKind } from './kinds.ts';

const eventProperties = {
  createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  kind: p.text().$type<EventKind>(),
  storeId: p.text().collation('C'),
  /** The merchant of the store at that time. */
  merchantId: p.text().collation('C').nullable(),
  /** Only of ORDER_PLACED and ORDER_CHANGED, as is the status. */
  orderId: p.text().collation('C').nullable(),
  /** Only of ORDER_CHANGED. */
  statusBefore: p.text().$type<OrderStatus>().nullable(),
  status: p.text().$type<OrderStatus>().nullable(),
  /** Only of MENU_CHANGED and STOCK_CHANGED. */
  menuRevision: p.bigint('number').nullable(),
};

/** Events as triggers write them, in the transaction of the change, until they are moved into the log (sequencer.ts). */
export const EventInboxEntity = defineEntity({
  name: 'EventInbox',
  tableName: 'event_inbox',
  properties: {
    /** The transaction. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()').primary(),
    id: p.bigint('number').primary().autoincrement(),
    ...eventProperties,
  },
});

/** Changes to orders, menus and stores: see docs/webhooks-and-events.md#the-event-log. */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'event',
  indexes: [
    {
      name: 'event_by_position',
      expression: 'create unique index event_by_position on event (position) where position is not null',
    },
    {
      name: 'event_by_store',
      expression: 'create index event_by_store on event (store_id, position) where position is not null',
    },
    {
      // They are rare: without it, their readers would scan the whole log.
      name: 'event_of_store_kinds',
      expression: `create index event_of_store_kinds on event (position) where position is not null and kind in ('STORE_CREATED', 'STORE_CHANGED', 'STORE_DELETED', 'ORDERING_CHANGED', 'HOURS_CHANGED')`,
    },
  ],
  properties: {
    /** Grows in the order in which events are written. */
    id: p.bigint('number').primary().autoincrement(),
    /** Grows in the order in which events are moved into the log; never null of those that readers see. */
    position: p.bigint('number').nullable(),
    ...eventProperties,
  },
});

/** An event of a committed transaction. */
export interface Event<Kind extends EventKind = EventKind> extends EntityRow<InferEntity<typeof EventEntity>> {
  /** Unique; greater than that of every event that was visible before. */
  readonly position: number;
  readonly kind: Kind;
}

export type OrderEvent = Event<OrderEventKind>;
export type MenuEvent = Event<MenuEventKind>;
export type StoreEvent = Event<StoreEventKind>;

/** A change of a guest's order, with the order as it was read for it. */
export interface GuestOrderEvent extends Event {
  readonly order: Order;
}

/** One row: the position after which the log is complete, since older events are deleted, and the key of cursors (cursor.ts). */
export const EventLogEntity = defineEntity({
  name: 'EventLog',
  tableName: 'event_log',
  properties: {
    id: p.integer().primary().autoincrement(false),
    completeAfter: p.bigint('number'),
    /** Of 256 bits. */
    cursorKey: p.blob(),
    /** Cursors of positions before this one are text. */
    encryptedFrom: p.bigint('number'),
  },
});
