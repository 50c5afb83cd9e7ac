import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { Slice } from '../paging.ts';
import { type Merchant, MerchantEntity } from './entities.ts';
import { findMerchants } from './find.ts';

/** However a request came by a merchant, asking for it again costs nothing. */
export function merchantLoaders(em: EntityManager) {
  const byId = merchantById(em);
  return {
    merchantById: byId,
    async merchantsInSlice(slice: Slice): Promise<Merchant[]> {
      const merchants = await findMerchants(em, slice);
      for (const merchant of merchants) byId.prime(merchant.id, merchant);
      return merchants;
    },
  };
}

function merchantById(em: EntityManager): DataLoader<string, Merchant | null> {
  return new DataLoader(async ids => {
    const merchants = await em.find(MerchantEntity, { id: { $in: [...ids] } });
    const byId = new Map(merchants.map(merchant => [merchant.id, merchant]));
    return ids.map(id => byId.get(id) ?? null);
  });
}
