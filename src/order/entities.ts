import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { scopeFilter, storeScope } from '../auth/scope.ts';
import { type Store, StoreEntity } from '../store/entities.ts';

export const orderStatuses = [
  'PENDING',
  'CUSTOMER_CANCELLED',
  'STORE_CANCELLED',
  'ACCEPTED',
  'REJECTED',
  'READY',
  'FULFILLED',
] as const;

/** SQL for a name in which letters differ by more than case. Part of the schema: the column of that name holds it. */
export const foldedName = (name: string) => `translate(lower(upper(${name} collate "und-x-icu")), 'ς', 'σ')`;

/** Of longer telephone numbers the last digits are compared. Part of the schema: the index could not hold them all. */
export const longestPhone = 100;

export const OrderEntity = defineEntity({
  name: 'Order',
  tableName: 'orders',
  filters: scopeFilter(storeScope, 'store'),
  indexes: [
    {
      name: 'orders_by_time',
      expression: 'create index orders_by_time on orders (store_id, created_at desc, id desc)',
    },
    {
      name: 'orders_by_status',
      expression: 'create index orders_by_status on orders (store_id, status, created_at desc, id desc)',
    },
    { name: 'orders_by_phone', properties: ['store', 'phoneReversed'] },
    {
      name: 'orders_by_name',
      expression: 'create index orders_by_name on orders using gin (store_id, customer_name_folded gin_trgm_ops)',
    },
  ],
  properties: {
    id: p.text().primary().collation('C'),
    store: () => p.manyToOne(StoreEntity).mapToPk().deleteRule('cascade').index(false),
    createdAt: p.datetime(3),
    status: p.enum(orderStatuses),
    customerName: p.text(),
    customerPhone: p.text(),
    price: p.bigint('number'),
    tax: p.bigint('number'),
    items: p.json<readonly Readonly<Record<string, unknown>>[]>().columnType('json'),
    readyBy: p.datetime(3),
    isRead: p.boolean(),
    inPos: p.boolean(),
    customerComments: p.text().nullable(),
    completedAt: p.datetime(3).nullable(),
    // For the indexes alone: PostgreSQL writes them, and no reader loads them.
    customerNameFolded: p
      .text()
      .collation('C')
      .generated(`(${foldedName('customer_name')}) stored`)
      .lazy()
      .hidden(),
    phoneReversed: p
      .text()
      .collation('C')
      .generated(`(left(reverse(regexp_replace(customer_phone, '[^0-9]', '', 'g')), ${longestPhone})) stored`)
      .lazy()
      .hidden(),
  },
});

export interface Order extends Omit<InferEntity<typeof OrderEntity>, 'customerNameFolded' | 'phoneReversed'> {
  /** What most requests need of its store, where the query has joined it. */
  storeSummary?: StoreSummary;
  /** The store itself, where the order was loaded through it. */
  loadedStore?: Store;
}

export const storeSummaryFields = ['id', 'name', 'externalId', 'createdAt'] as const;
export type StoreSummary = Pick<Store, (typeof storeSummaryFields)[number]>;

/** How many orders of a status a store has on a day of UTC. The database keeps it: see docs/operating-orders.md. */
export const OrderCountEntity = defineEntity({
  name: 'OrderCount',
  tableName: 'order_count',
  properties: {
    storeId: p.text().primary().collation('C'),
    day: p.date().primary(),
    status: p.text().primary(),
    n: p.bigint('number'),
  },
});

/** How often what a store's order list shows has changed. The database keeps it: see docs/operating-orders.md. */
export const OrderRevisionEntity = defineEntity({
  name: 'OrderRevision',
  tableName: 'order_revision',
  properties: {
    storeId: p.text().primary().collation('C'),
    revision: p.bigint('number'),
  },
});
