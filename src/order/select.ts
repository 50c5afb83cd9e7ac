import type { Lookup } from '../lookup.ts';
import { reachesStore, storesWithin } from '../reach.ts';
import { type OrderRow, orderColumns } from './row.ts';

/** Orders by their identifiers; who sees a store sees its orders. */
export const orderRows: Lookup<OrderRow & { readonly merchant: string | null }> = {
  select: `select ${orderColumns}, s.merchant_id as merchant from orders join store s on s.id = orders.store_id`,
  column: 'orders.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: (reach, { store, merchant }) => reachesStore(reach, { id: store, merchant }),
};
