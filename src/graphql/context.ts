import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { menuLoaders } from '../menu/loaders.ts';
import { merchantLoaders } from '../merchant/loaders.ts';
import { orderLoaders } from '../order/loaders.ts';
import type { Reach } from '../reach.ts';
import { storeLoaders } from '../store/loaders.ts';

/** What one request works with. Loaders remember what they loaded, so a context is never used for a second request. */
export interface Context {
  readonly em: EntityManager;
  /** Absent without a key; then nothing but the schema itself can be asked for. */
  readonly reach: Reach | undefined;
  readonly loaders: Loaders;
}

type Loaders = ReturnType<typeof createLoaders>;

export function createContext(orm: MikroORM, reach: Reach | undefined): Context {
  const em = orm.em.fork();
  if (reach) em.setFilterParams('reach', { ...reach });
  return { em, reach, loaders: createLoaders(em) };
}

function createLoaders(em: EntityManager) {
  return { ...merchantLoaders(em), ...storeLoaders(em), ...menuLoaders(em), ...orderLoaders(em) };
}
