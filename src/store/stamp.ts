import { type Reach, storesWithin } from '../reach.ts';
import { statementsOf } from '../rows.ts';
import type { Query } from '../statement.ts';

/** What tells whether anything of a store has changed, by the names of the graph's fields. */
export type Stamp = Readonly<Record<'menuRevision' | 'ordersRevision', number>>;

const statementFor = statementsOf(`
  select s.menu_revision::float8 as "menuRevision", coalesce(r.revision, 0)::float8 as "ordersRevision"
  from store s left join order_revision r on r.store_id = s.id`);

/** The stamp of a store within reach, which costs less than the store; null where there is none. */
export async function readStamp(query: Query, reach: Reach, storeId: string): Promise<Stamp | null> {
  if (storeId.includes('\0')) return null;
  const within = storesWithin(reach, 's', 2);
  const statement = statementFor({ condition: 's.id = $1', values: [storeId] }, within.sql);
  return (await query<Stamp>(statement, [storeId, ...within.values]))[0] ?? null;
}
