import type { Lookup } from '../lookup.ts';
import { storesWithin } from '../reach.ts';
import { reachesStoreOf, type StoreRow, storeColumns, storeTables } from '../store/select.ts';
import { type OrderRow, orderColumns } from './row.ts';

/** Orders by their identifiers, each with its store, for which nearly everyone asks; who sees a store sees its orders. */
export const orderRows: Lookup<OrderRow & StoreRow> = {
  select: `select ${orderColumns}, ${storeColumns} from orders join (${storeTables}) on s.id = orders.store_id`,
  column: 'orders.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: reachesStoreOf,
};
