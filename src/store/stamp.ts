import type { LookUp, Lookup } from '../lookup.ts';
import { type Reach, reachesStore, storesWithin } from '../reach.ts';

/** What tells whether anything of a store has changed, by the names of the graph's fields. */
export type Stamp = Readonly<Record<'menuRevision' | 'ordersRevision', number>>;

interface Row extends Stamp {
  readonly id: string;
  readonly merchant: string | null;
}

const stamps: Lookup<Row> = {
  select: `
    select s.id, s.merchant_id as merchant, s.menu_revision::float8 as "menuRevision",
      coalesce(r.revision, 0)::float8 as "ordersRevision"
    from store s left join order_revision r on r.store_id = s.id`,
  column: 's.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: reachesStore,
};

/** The stamp of a store within reach, which costs less than the store; null where there is none. */
export async function readStamp(lookUp: LookUp, reach: Reach, storeId: string): Promise<Stamp | null> {
  return (await lookUp(stamps, reach, storeId)) ?? null;
}
