import type { EntityManager } from '@mikro-orm/postgresql';
import { checkSlice, type Slice } from '../paging.ts';
import { type Store, StoreEntity } from './entities.ts';

/** A slice of the stores within reach, oldest first. */
export async function findStores(em: EntityManager, slice: Slice): Promise<Store[]> {
  const { skip, limit } = checkSlice(slice);
  if (limit === 0) return [];
  return em.find(StoreEntity, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, offset: skip, limit });
}
