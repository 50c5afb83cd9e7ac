import type { Lookup } from '../lookup.ts';
import { reachesStore, storesWithin } from '../reach.ts';
import { milliseconds } from '../rows.ts';
import type { Order, StoreInBrief } from './entities.ts';
import { type OrderRow, orderColumns, toOrder } from './row.ts';

interface Row extends OrderRow {
  readonly storeMerchant: string | null;
  readonly storeName: StoreInBrief['name'];
  readonly storeExternalId: StoreInBrief['externalId'];
  readonly storeCreatedAt: number;
}

/** Orders by their identifiers; who sees a store sees its orders. `toOrderInStore` makes them of the rows. */
export const orderRows: Lookup<Row> = {
  select: `
    select ${orderColumns}, s.merchant_id as "storeMerchant", s.name as "storeName", s.external_id as "storeExternalId",
      ${milliseconds('s.created_at')} as "storeCreatedAt"
    from orders join store s on s.id = orders.store_id`,
  column: 'orders.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: (reach, { store, storeMerchant }) => reachesStore(reach, { id: store, merchant: storeMerchant }),
};

export function toOrderInStore(row: Row): Order {
  const order = toOrder(row);
  order.storeInBrief = {
    id: row.store,
    name: row.storeName,
    externalId: row.storeExternalId,
    createdAt: new Date(row.storeCreatedAt),
  };
  return order;
}
