import type { Lookup } from '../lookup.ts';
import { reachesStore, storesWithin } from '../reach.ts';
import { storeBeside } from '../store/select.ts';
import { type OrderRow, orderColumns } from './row.ts';

interface Row extends OrderRow {
  readonly [column: string]: unknown;
  readonly 'store.merchant': string | null;
}

/** Orders by their identifiers, each with its store, for which nearly everyone asks; who sees a store sees its orders. */
export const orderRows: Lookup<Row> = {
  select: `
    select ${orderColumns}, ${storeBeside.columns}
    from orders join (${storeBeside.tables}) on s.id = orders.store_id`,
  column: 'orders.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: (reach, row) => reachesStore(reach, { id: row.store, merchant: row['store.merchant'] }),
};
