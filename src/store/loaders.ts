import DataLoader from 'dataloader';
import type { Merchant } from '../merchant/entities.ts';
import { checkSlice, type Slice } from '../paging.ts';
import type { Reach } from '../reach.ts';
import { byIds, type Picked } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Store } from './entities.ts';
import { selectStores } from './select.ts';

/** However a request came by a store or by its merchant, asking for either again costs nothing. */
export function storeLoaders(query: Query, reach: Reach, merchantById: DataLoader<string, Merchant | null>) {
  const select = async (picked: Picked): Promise<Store[]> => {
    const found = await selectStores(query, reach, picked);
    for (const { merchant } of found) if (merchant) merchantById.prime(merchant.id, merchant);
    return found.map(({ store }) => store);
  };
  const remember = (stores: readonly Store[]) => {
    for (const store of stores) storeById.prime(store.id, store);
  };

  const storeById = new DataLoader<string, Store | null>(async ids => {
    const byId = new Map((await select(byIds('s.id', ids))).map(store => [store.id, store]));
    return ids.map(id => byId.get(id) ?? null);
  });

  const storesByMerchant = new DataLoader<string, readonly Store[]>(async merchantIds => {
    const rest = 'order by s.created_at, s.id';
    const stores = await select({ condition: 's.merchant_id = any($1)', values: [merchantIds], rest });
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
      const stores = await select({ condition: 'true', values: [skip, limit], rest });
      remember(stores);
      return stores;
    },
  };
}
