import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { CompiledQuery } from 'kysely';
import type { Store } from '../store/entities.ts';
import { milliseconds } from './row.ts';

/**
 * Which revision a request may claim for the orders that it shows: one that is no newer than anything it has read.
 *
 * The database hands out a store's revisions one transaction after the other, each visible together with its change. So
 * orders read in the same snapshot as a revision, or later, hold every change up to it, and what they lack comes with
 * a higher one. A request reads in several snapshots, at once and in no certain order: it claims the lowest revision
 * of all that it has begun to read. Too low a claim costs one needless read, too high a one would hide a change.
 */
export function watchRevisions(em: EntityManager) {
  const lowest = new Map<string, number>();
  const reading = new Set<Promise<unknown>>();

  const note = (store: Store, revision: number) =>
    lowest.set(store.id, Math.min(revision, lowest.get(store.id) ?? revision));

  const claims = new DataLoader<Store, number, string>(async stores => readClaims(em, stores), {
    cacheKeyFn: store => store.id,
  });

  return {
    /** Waits for a read of orders and notes the revision of each store's. */
    async noting<T extends { readonly revision: number }>(stores: readonly Store[], read: Promise<T[]>): Promise<T[]> {
      reading.add(read);
      try {
        const found = await read;
        for (const [index, store] of stores.entries()) note(store, found[index]?.revision ?? 0);
        return found;
      } finally {
        reading.delete(read);
      }
    },
    async load(store: Store): Promise<number> {
      note(store, await claims.load(store));
      await Promise.allSettled(reading);
      return lowest.get(store.id) ?? 0;
    },
  };
}

interface RevisionRow extends ShownWithOrders {
  readonly id: string;
  readonly revision: number;
}

/** The revisions themselves; or the one before, where the store at hand is older than its revision. */
async function readClaims(em: EntityManager, stores: readonly Store[]): Promise<number[]> {
  const sql = `
    select id, coalesce(revision, 0)::float8 as revision,
      name, ${milliseconds('created_at')} as "createdAt", external_id as "externalId"
    from store left join order_revision on store_id = id where id = any($1)`;
  const query = CompiledQuery.raw(sql, [stores.map(store => store.id)]) as CompiledQuery<RevisionRow>;
  const { rows } = await em.getKysely().executeQuery(query);
  const byId = new Map(rows.map(row => [row.id, row]));
  return stores.map(store => {
    const row = byId.get(store.id);
    if (!row) return 0;
    return shownWithOrders(row) === shownWithOrders(store) ? row.revision : row.revision - 1;
  });
}

interface ShownWithOrders {
  readonly name: Store['name'];
  readonly createdAt: Date | number;
  readonly externalId?: string | null | undefined;
}

/** What an order list says of its store: a store is loaded before its orders, so it may be older than they. */
function shownWithOrders({ name, createdAt, externalId }: ShownWithOrders): string {
  return JSON.stringify([name, Number(createdAt), externalId]);
}
