import DataLoader from 'dataloader';
import { checkSlice, type Slice } from '../paging.ts';
import type { Reach } from '../reach.ts';
import { byIds } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Store } from './entities.ts';
import { selectStores } from './select.ts';

/** However a request came by a store, asking for it again costs nothing. */
export function storeLoaders(query: Query, reach: Reach) {
  const storeById = new DataLoader<string, Store | null>(async ids => {
    const stores = await selectStores(query, reach, byIds('s.id', ids));
    const byId = new Map(stores.map(store => [store.id, store]));
    return ids.map(id => byId.get(id) ?? null);
  });
  const remember = (stores: readonly Store[]) => {
    for (const store of stores) storeById.prime(store.id, store);
  };

  const storesByMerchant = new DataLoader<string, readonly Store[]>(async merchantIds => {
    const rest = 'order by s.created_at, s.id';
    const picked = { condition: 's.merchant_id = any($1)', values: [merchantIds], rest };
    const stores = await selectStores(query, reach, picked);
    remember(stores);
    const byMerchant = Map.groupBy(stores, store => store.merchant);
    return merchantIds.map(id => byMerchant.get(id) ?? []);
  });

  return {
    storeById,
    /** Every store of a merchant, oldest first. */
    storesByMerchant,
    /** Oldest first. */
    async storesInSlice(slice: Slice): Promise<Store[]> {
      const { skip, limit } = checkSlice(slice);
      const rest = 'order by s.created_at, s.id offset $1 limit $2';
      const stores = await selectStores(query, reach, { condition: 'true', values: [skip, limit], rest });
      remember(stores);
      return stores;
    },
  };
}
