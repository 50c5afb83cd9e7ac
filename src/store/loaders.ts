import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { Slice } from '../paging.ts';
import { type Store, StoreEntity } from './entities.ts';
import { findStores } from './find.ts';

/** However a request came by a store, asking for it again costs nothing. */
export function storeLoaders(em: EntityManager) {
  const byId = storeById(em);
  const remember = (stores: readonly Store[]) => {
    for (const store of stores) byId.prime(store.id, store);
  };
  return {
    storeById: byId,
    storesByMerchant: storesByMerchant(em, remember),
    async storesInSlice(slice: Slice): Promise<Store[]> {
      const stores = await findStores(em, slice);
      remember(stores);
      return stores;
    },
  };
}

function storeById(em: EntityManager): DataLoader<string, Store | null> {
  return new DataLoader(async ids => {
    const stores = await em.find(StoreEntity, { id: { $in: [...ids] } });
    const byId = new Map(stores.map(store => [store.id, store]));
    return ids.map(id => byId.get(id) ?? null);
  });
}

/** Every store of many merchants, oldest first. */
function storesByMerchant(em: EntityManager, remember: (stores: readonly Store[]) => void) {
  return new DataLoader<string, readonly Store[]>(async merchantIds => {
    const stores = await em.find(
      StoreEntity,
      { merchant: { $in: [...merchantIds] } },
      { orderBy: { createdAt: 'asc', id: 'asc' } },
    );
    remember(stores);
    const byMerchant = Map.groupBy(stores, store => store.merchant);
    return merchantIds.map(id => byMerchant.get(id) ?? []);
  });
}
