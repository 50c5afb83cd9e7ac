import type { LookUp, Lookup } from '../lookup.ts';
import { type Reach, reachesStore, storesWithin } from '../reach.ts';

/** What tells whether anything of a store has changed, by the names of the graph's fields. */
export type Stamp = Readonly<Partial<Record<'menuRevision' | 'ordersRevision', number>>>;

interface Row extends Stamp {
  readonly id: string;
  readonly merchant: string | null;
}

const menuRevision = 's.menu_revision::float8 as "menuRevision"';
// Not by a join: for a few stores that is planned as a walk through the revisions of all.
const ordersRevision = `
  coalesce((select r.revision from order_revision r where r.store_id = s.id), 0)::float8 as "ordersRevision"`;

const stamps = (columns: string): Lookup<Row> => ({
  select: `select s.id, s.merchant_id as merchant, ${columns} from store s`,
  column: 's.id',
  within: (reach, n) => storesWithin(reach, 's', n),
  reaches: reachesStore,
});

const ofMenus = stamps(menuRevision);
const ofAll = stamps(`${menuRevision}, ${ordersRevision}`);

/** The stamp of a store within reach, with at least these values; undefined where there is none. It costs less than the store. */
export function readStamp(
  lookUp: LookUp,
  { reach, storeId, names }: { readonly reach: Reach; readonly storeId: string; readonly names: readonly string[] },
): Promise<Stamp | undefined> {
  return lookUp(names.includes('ordersRevision') ? ofAll : ofMenus, reach, storeId);
}
