import { type Reach, storesWithin } from '../reach.ts';
import { byIds, statementsOf } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Order } from './entities.ts';
import { type OrderRow, orderColumns, toOrder } from './row.ts';

const statementFor = statementsOf(`select ${orderColumns} from orders join store s on s.id = orders.store_id`);

/** The orders with these ids at stores within reach. */
export async function selectOrders(query: Query, reach: Reach, ids: readonly string[]): Promise<Order[]> {
  const picked = byIds('orders.id', ids);
  const within = storesWithin(reach, 's', 2);
  return (await query<OrderRow>(statementFor(picked, within.sql), [...picked.values, ...within.values])).map(toOrder);
}
