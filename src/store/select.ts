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

type Row = Omit<Store, 'createdAt' | 'merchant'> & {
  readonly merchant: string | null;
  readonly createdAt: number;
  readonly merchantCreatedAt: number | null;
  readonly brandName: string;
  readonly businessType: Merchant['businessType'];
};

const columns: Readonly<Record<Extract<keyof Row, string>, string>> = {
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

// A store comes with the revisions of its menus and of its orders, all from one snapshot.
const tables = `
  store s left join order_revision r on r.store_id = s.id left join merchant m on m.id = s.merchant_id`;

const selectedAs = (prefix: string) =>
  Object.entries(columns)
    .map(([name, expression]) => `${expression} as "${prefix}${name}"`)
    .join(', ');

const select = `select ${selectedAs('')} from ${tables}`;
const statementFor = statementsOf(select);

/** Stores by their identifiers; `toStore` makes them of the rows. */
export const storeRows: Lookup<Row> = {
  select,
  column: 's.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: reachesStore,
};

export function toStore({ merchantCreatedAt, brandName, businessType, ...row }: Row): StoreWithMerchant {
  const { merchant: id, createdAt } = row;
  return {
    store: Object.assign(row, { createdAt: new Date(createdAt) }),
    merchant:
      id && merchantCreatedAt !== null ? { id, createdAt: new Date(merchantCreatedAt), brandName, businessType } : null,
  };
}

const names = Object.keys(columns).map(name => ({ name, selected: `store.${name}` }));

/** For statements that find something of a store, and bring the store `s` along. */
export const storeBeside = {
  columns: selectedAs('store.'),
  tables,
  of: (row: Readonly<Record<string, unknown>>): StoreWithMerchant => {
    const own: Record<string, unknown> = {};
    for (const { name, selected } of names) own[name] = row[selected];
    return toStore(own as Row);
  },
};

/** The stores `s` within reach that a condition picks. */
export async function selectStores(query: Query, reach: Reach, picked: Picked): Promise<StoreWithMerchant[]> {
  const within = storesWithin(reach, 's', picked.values.length + 1);
  const rows = await query<Row>(statementFor(picked, within.sql), [...picked.values, ...within.values]);
  return rows.map(toStore);
}
