import type { Identified, Lookup } from '../lookup.ts';
import type { Merchant } from '../merchant/entities.ts';
import { type Reach, reachesStore, storesWithin } from '../reach.ts';
import { milliseconds, type Picked, statementsOf } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Store } from './entities.ts';

/** A store with the merchant that it belongs to: who sees the one sees the other, and nearly everyone asks for both. */
export interface StoreWithMerchant {
  readonly store: Store;
  readonly merchant: Merchant | null;
}

/** A row of a statement that selects `storeColumns`. */
export type StoreRow = {
  readonly [Name in keyof Columns as `store.${Name}`]: Columns[Name];
};

type Columns = Omit<Store, 'createdAt' | 'merchant' | symbol> & {
  readonly merchant: string | null;
  readonly createdAt: number;
  readonly merchantCreatedAt: number | null;
  readonly brandName: string;
  readonly businessType: Merchant['businessType'];
};

const columns: Readonly<Record<keyof Columns, string>> = {
  id: 's.id',
  merchant: 's.merchant_id',
  name: 's.name',
  createdAt: milliseconds('s.created_at'),
  externalId: 's.external_id',
  storePhone: 's.store_phone',
  contacts: 's.contacts',
  addressLine1: 's.address_line_1',
  addressLine2: 's.address_line_2',
  addressLine3: 's.address_line_3',
  timezone: 's.timezone',
  city: 's.city',
  postalCode: 's.postal_code',
  country: 's.country',
  locationName: 's.location_name',
  adminArea: 's.admin_area',
  phoneNumbers: 's.phone_numbers',
  storeType: 's.store_type',
  restaurantConfiguration: 's.restaurant_configuration',
  menuRevision: 's.menu_revision::float8',
  ordersRevision: 'coalesce(r.revision, 0)::float8',
  merchantCreatedAt: milliseconds('m.created_at'),
  brandName: 'm.brand_name',
  businessType: 'm.business_type',
};

// Named so that a statement can find something of a store, and bring the store along.
export const storeColumns = Object.entries(columns)
  .map(([name, expression]) => `${expression} as "store.${name}"`)
  .join(', ');

// A store comes with the revisions of its menus and of its orders, all from one snapshot.
export const storeTables = `
  store s left join order_revision r on r.store_id = s.id left join merchant m on m.id = s.merchant_id`;

const select = `select s.id, ${storeColumns} from ${storeTables}`;
const statementFor = statementsOf(select);

/** Stores by their identifiers; `toStore` makes them of the rows. */
export const storeRows: Lookup<StoreRow & Identified> = {
  select,
  column: 's.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: reachesStoreOf,
};

export function reachesStoreOf(reach: Reach, row: StoreRow): boolean {
  return reachesStore(reach, { id: row['store.id'], merchant: row['store.merchant'] });
}

/** Written out: thousands are made in a second, and by names in a variable that costs several times as much. */
export function toStore(row: StoreRow): StoreWithMerchant {
  const merchant = row['store.merchant'];
  const merchantCreatedAt = row['store.merchantCreatedAt'];
  return {
    store: {
      id: row['store.id'],
      merchant,
      name: row['store.name'],
      createdAt: new Date(row['store.createdAt']),
      externalId: row['store.externalId'],
      storePhone: row['store.storePhone'],
      contacts: row['store.contacts'],
      addressLine1: row['store.addressLine1'],
      addressLine2: row['store.addressLine2'],
      addressLine3: row['store.addressLine3'],
      timezone: row['store.timezone'],
      city: row['store.city'],
      postalCode: row['store.postalCode'],
      country: row['store.country'],
      locationName: row['store.locationName'],
      adminArea: row['store.adminArea'],
      phoneNumbers: row['store.phoneNumbers'],
      storeType: row['store.storeType'],
      restaurantConfiguration: row['store.restaurantConfiguration'],
      menuRevision: row['store.menuRevision'],
      ordersRevision: row['store.ordersRevision'],
    },
    merchant:
      merchant !== null && merchantCreatedAt !== null
        ? {
            id: merchant,
            createdAt: new Date(merchantCreatedAt),
            brandName: row['store.brandName'],
            businessType: row['store.businessType'],
          }
        : null,
  };
}

/** The stores `s` within reach that a condition picks. */
export async function selectStores(query: Query, reach: Reach, picked: Picked): Promise<StoreWithMerchant[]> {
  const within = storesWithin(reach, 's', picked.values.length + 1);
  const rows = await query<StoreRow>(statementFor(picked, within.sql), [...picked.values, ...within.values]);
  return rows.map(toStore);
}
