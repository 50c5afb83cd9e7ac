import DataLoader from 'dataloader';
import type { Reading } from '../lookup.ts';
import type { Merchant } from '../merchant/entities.ts';
import { checkSlice, type Slice } from '../paging.ts';
import type { Reach } from '../reach.ts';
import { Remembered } from '../remembered.ts';
import type { Picked } from '../rows.ts';
import type { Store } from './entities.ts';
import { type StoreWithMerchant, selectStores, storeRows, toStore } from './select.ts';

/** A request that has come by a store or by its merchant does not ask for either again. */
export function storeLoaders({ query, lookUp }: Reading, reach: Reach, rememberMerchant: (merchant: Merchant) => void) {
  const take = ({ store, merchant }: StoreWithMerchant): Store => {
    if (merchant) rememberMerchant(merchant);
    return store;
  };
  const select = async (picked: Picked) => (await selectStores(query, reach, picked)).map(take);
  const find = async (id: string) => {
    const row = await lookUp(storeRows, reach, id);
    return row ? take(toStore(row)) : null;
  };
  const remember = (stores: readonly Store[]) => {
    for (const store of stores) byId.prime(store.id, store);
  };

  const byId = new Remembered<Store | null>(find);

  const byMerchant = new DataLoader<string, readonly Store[]>(async merchantIds => {
    const rest = 'order by s.created_at, s.id';
    const stores = await select({ condition: 's.merchant_id = any($1)', values: [merchantIds], rest });
    remember(stores);
    const found = Map.groupBy(stores, store => store.merchant);
    return merchantIds.map(id => found.get(id) ?? []);
  });

  return {
    byId,
    /** Every store of a merchant, oldest first. */
    byMerchant,
    /** Oldest first. */
    async inSlice(slice: Slice): Promise<Store[]> {
      const { skip, limit } = checkSlice(slice);
      const rest = 'order by s.created_at, s.id offset $1 limit $2';
      const stores = await select({ condition: 'true', values: [skip, limit], rest });
      remember(stores);
      return stores;
    },
  };
}
