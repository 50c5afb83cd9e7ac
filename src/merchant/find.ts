import type { EntityManager } from '@mikro-orm/postgresql';
import { checkSlice, type Slice } from '../paging.ts';
import { type Merchant, MerchantEntity } from './entities.ts';

/** A slice of the merchants within reach, oldest first. */
export async function findMerchants(em: EntityManager, slice: Slice): Promise<Merchant[]> {
  const { skip, limit } = checkSlice(slice);
  if (limit === 0) return [];
  return em.find(MerchantEntity, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, offset: skip, limit });
}
