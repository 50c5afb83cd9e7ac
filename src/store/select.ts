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

// A store comes with the revisions of its menus and of its orders, all from one snapshot.
const select = `
  select s.id, s.merchant_id as merchant, s.name, ${milliseconds('s.created_at')} as "createdAt",
    s.external_id as "externalId", s.store_phone as "storePhone", s.contacts,
    s.address_line_1 as "addressLine1", s.address_line_2 as "addressLine2", s.address_line_3 as "addressLine3",
    s.timezone, s.city, s.postal_code as "postalCode", s.country, s.location_name as "locationName",
    s.admin_area as "adminArea", s.phone_numbers as "phoneNumbers", s.store_type as "storeType",
    s.restaurant_configuration as "restaurantConfiguration", s.menu_revision::float8 as "menuRevision",
    coalesce(r.revision, 0)::float8 as "ordersRevision",
    ${milliseconds('m.created_at')} as "merchantCreatedAt", m.brand_name as "brandName", m.business_type as "businessType"
  from store s left join order_revision r on r.store_id = s.id left join merchant m on m.id = s.merchant_id`;
const statementFor = statementsOf(select);

type Row = Omit<Store, 'createdAt' | 'merchant'> & {
  readonly merchant: string | null;
  readonly createdAt: number;
  readonly merchantCreatedAt: number | null;
  readonly brandName: string;
  readonly businessType: Merchant['businessType'];
};

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

/** The stores `s` within reach that a condition picks. */
export async function selectStores(query: Query, reach: Reach, picked: Picked): Promise<StoreWithMerchant[]> {
  const within = storesWithin(reach, 's', picked.values.length + 1);
  const rows = await query<Row>(statementFor(picked, within.sql), [...picked.values, ...within.values]);
  return rows.map(toStore);
}
