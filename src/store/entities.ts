import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type {
  OrderAddressInput,
  OrderingState,
  RestaurantConfigurationInput,
  SpecialHoursInput,
  StoreTypeInput,
} from '../generated/graph.ts';
import { type Merchant, MerchantEntity } from '../merchant/entities.ts';
import { scopeFilter, storeScope } from '../scope.ts';

/** As it is stored. */
export interface PhoneNumber {
  readonly id: string;
  readonly phoneNumber: string;
  /** RFC 3339, UTC. */
  readonly createDateTime: string;
}

/** What a store or an order has of an address; nobody delivers to a store, which has no `note`. */
export type Address = { readonly [Field in keyof OrderAddressInput]?: OrderAddressInput[Field] | undefined };

/** Why and until when a store takes orders late, or none. */
export interface StoredOrdering {
  readonly state: Exclude<OrderingState, 'OPEN'>;
  /** RFC 3339, UTC; it ends by itself then. */
  readonly until?: string;
  /** Only if it is busy. */
  readonly delayMinutes?: number;
  readonly reason?: string;
}

/** As database/migrations/1.0-baseline.sql explains it. */
const foldedTexts = String.raw`case when name::text ~ '\\u(0000|[dD][89a-fA-F])' then '' else lower(regexp_replace(jsonb_path_query_array(name::jsonb, 'strict $.**?(@.type() == "string")')::text, '\\(["\\])', '\1', 'g') collate "und-x-icu") end`;

// `json`, not `jsonb`, to keep the order of keys.
export const StoreEntity = defineEntity({
  name: 'Store',
  tableName: 'store',
  filters: scopeFilter(storeScope),
  indexes: [
    { name: 'store_created', properties: ['createdAt', 'id'] },
    { name: 'store_merchant', properties: ['merchant', 'createdAt', 'id'] },
  ],
  properties: {
    id: p.text().primary().collation('C'),
    merchant: () => p.manyToOne(MerchantEntity).mapToPk().nullable().deleteRule('cascade').index(false),
    name: p.json<Readonly<Record<string, unknown>>>().columnType('json'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    externalId: p.text().nullable(),
    phone: p.text().fieldName('store_phone').nullable(),
    contacts: p.json<Readonly<Record<string, unknown>>>().columnType('json').nullable(),
    addressLine1: p.text().fieldName('address_line_1').nullable(),
    addressLine2: p.text().fieldName('address_line_2').nullable(),
    addressLine3: p.text().fieldName('address_line_3').nullable(),
    timezone: p.text().nullable(),
    city: p.text().nullable(),
    postalCode: p.text().nullable(),
    country: p.text().nullable(),
    /** Only if one was imported; see `currencyOf`. */
    currency: p.text().nullable(),
    locationName: p.text().nullable(),
    adminArea: p.text().nullable(),
    phoneNumbers: p.json<readonly PhoneNumber[]>().columnType('json').nullable(),
    storeType: p.json<StoreTypeInput>().columnType('json').nullable(),
    restaurantConfiguration: p.json<RestaurantConfigurationInput>().columnType('json').nullable(),
    menuRevision: p.bigint('number').default(0),
    /** Null if it is open; what has ended may still be here for a moment: see `orderingAt`. */
    ordering: p.json<StoredOrdering>().columnType('json').nullable(),
    /** Whether guests may place orders with publishable keys. */
    guestOrders: p.boolean().default(true),
    preparationMinutes: p.integer().default(0),
    specialHours: p.json<readonly SpecialHoursInput[]>().columnType('json').nullable(),
    /** Time of its last change, set by a trigger: see docs/operating.md#revisions. */
    revision: p.bigint('number').default(0).lazy(),
    /** Set to the time by triggers with every change to the orders, or to the store's fields that they show. */
    ordersRevision: p
      .bigint('number')
      .formula(cols => `coalesce((select revision from order_revision where store_id = ${cols.id}), 0)`)
      .persist(false)
      .lazy(),
    /** Until the first of its due times. */
    dueInSeconds: p
      .float()
      .formula(
        cols =>
          `(select extract(epoch from min(due_at) - clock_timestamp())::float8 from due_time where store_id = ${cols.id})`,
      )
      .nullable()
      .persist(false)
      .lazy(),
    /** The texts in `name`, but not its keys, in lower case; for searches, never selected. */
    nameFolded: p.text().collation('C').generated(`(${foldedTexts}) stored`).nullable().lazy().hidden(),
  },
});

type LazyField = 'revision' | 'ordersRevision' | 'dueInSeconds';

export interface Store extends Omit<InferEntity<typeof StoreEntity>, LazyField | 'nameFolded'> {
  /** Only on a store that was loaded by its id. */
  revision?: number;
  ordersRevision?: number;
  dueInSeconds?: number | null | undefined;
  /** The merchant, where the query joined it. */
  joinedMerchant?: Merchant | null;
}

/** The last revision of a deleted store, from which a store created with the same id continues. */
export const DeletedStoreEntity = defineEntity({
  name: 'DeletedStore',
  tableName: 'deleted_store',
  properties: {
    id: p.text().primary().collation('C'),
    menuRevision: p.bigint('number'),
  },
});

/** What ends by itself at a time; written and deleted only by transactions that have locked the row of the store (events/due-times.ts). */
export const DueTimeEntity = defineEntity({
  name: 'DueTime',
  tableName: 'due_time',
  indexes: [{ name: 'due_time_by_time', properties: ['dueAt'] }],
  properties: {
    store: () => p.manyToOne(StoreEntity).mapToPk().primary().deleteRule('cascade').index(false),
    /** `ordering` of the store, or the kind of the entity that is sold out. */
    subject: p.text().$type<'ordering' | 'items' | 'modifierItems'>().primary(),
    /** Of an entity of the menu; empty for the store itself. */
    externalId: p.text().collation('C').primary(),
    dueAt: p.datetime(3),
  },
});
