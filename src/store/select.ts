import type { Lookup } from '../lookup.ts';
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

/** Instants are milliseconds. */
type Row = Omit<Store, 'createdAt' | 'merchant' | symbol> & {
  readonly merchant: string | null;
  readonly createdAt: number;
  readonly merchantCreatedAt: number | null;
  readonly brandName: string;
  readonly businessType: Merchant['businessType'];
};

const columns: Readonly<Record<keyof Row, string>> = {
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

const selected = Object.entries(columns).map(([name, expression]) => `${expression} as "${name}"`);

// A store comes with the revisions of its menus and of its orders, all from one snapshot.
const select = `
  select ${selected.join(', ')}
  from store s left join order_revision r on r.store_id = s.id left join merchant m on m.id = s.merchant_id`;
const statementFor = statementsOf(select);

/** Stores by their identifiers; `toStore` makes them of the rows. */
export const storeRows: Lookup<Row> = {
  select,
  column: 's.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: reachesStore,
};

/** Written out: thousands are made in a second, and by names in a variable that costs several times as much. */
export function toStore(row: Row): StoreWithMerchant {
  const { merchant, merchantCreatedAt } = row;
  return {
    store: {
      id: row.id,
      merchant,
      name: row.name,
      createdAt: new Date(row.createdAt),
      externalId: row.externalId,
      storePhone: row.storePhone,
      contacts: row.contacts,
      addressLine1: row.addressLine1,
      addressLine2: row.addressLine2,
      addressLine3: row.addressLine3,
      timezone: row.timezone,
      city: row.city,
      postalCode: row.postalCode,
      country: row.country,
      locationName: row.locationName,
      adminArea: row.adminArea,
      phoneNumbers: row.phoneNumbers,
      storeType: row.storeType,
      restaurantConfiguration: row.restaurantConfiguration,
      menuRevision: row.menuRevision,
      ordersRevision: row.ordersRevision,
    },
    merchant:
      merchant !== null && merchantCreatedAt !== null
        ? {
            id: merchant,
            createdAt: new Date(merchantCreatedAt),
            brandName: row.brandName,
            businessType: row.businessType,
          }
        : null,
  };
}

/** The stores `s` within reach that a condition picks. */
export async function selectStores(query: Query, reach: Reach, picked: Picked): Promise<StoreWithMerchant[]> {
  const within = storesWithin(reach, 's', picked.values.length + 1);
  const rows = await query<Row>(statementFor(picked, within.sql), [...picked.values, ...within.values]);
  return rows.map(toStore);
}
