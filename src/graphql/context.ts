import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Reading } from '../lookup.ts';
import { defaultMenuLimits, type MenuLimits } from '../menu/limits.ts';
import { menuLoaders } from '../menu/loaders.ts';
import { merchantLoaders } from '../merchant/loaders.ts';
import { orderLoaders } from '../order/loaders.ts';
import { nothing, type Reach } from '../reach.ts';
import { storeLoaders } from '../store/loaders.ts';
import { readStamp, type Stamp } from '../store/stamp.ts';

/** What one request works with. Loaders remember what they loaded, so a context is never used for a second request. */
export interface Context {
  /** For writes; it has the caller's reach. */
  readonly em: EntityManager;
  /** Absent without a key; then nothing but the schema itself can be asked for. */
  readonly reach: Reach | undefined;
  readonly loaders: Loaders;
  /** How large a menu configuration may be. */
  readonly menuLimits: MenuLimits;
  /** Told how many seconds a replacement took. */
  readonly onReplaced: (seconds: number) => void;
}

/** Where contexts get their data. */
export interface Source extends Reading {
  readonly orm: MikroORM;
  readonly menuLimits?: MenuLimits;
  readonly onReplaced?: (seconds: number) => void;
}

type Loaders = ReturnType<typeof createLoaders>;

export function createContext(source: Source, reach: Reach | undefined): Context {
  let forked: EntityManager | undefined;
  let loaders: Loaders | undefined;
  return {
    // Most requests only read, and have no need of it; those that are answered from what is kept need no loader either.
    get em() {
      if (!forked) {
        forked = source.orm.em.fork();
        if (reach) forked.setFilterParams('reach', { ...reach });
      }
      return forked;
    },
    reach,
    menuLimits: source.menuLimits ?? defaultMenuLimits,
    onReplaced: source.onReplaced ?? (() => {}),
    get loaders() {
      loaders ??= createLoaders(source, reach ?? nothing);
      return loaders;
    },
  };
}

/** What tells whether anything of a store has changed; null for a store that is absent or out of reach. */
export function stampOf({ lookUp }: Source, reach: Reach | undefined, storeId: string): Promise<Stamp | null> {
  return readStamp(lookUp, reach ?? nothing, storeId);
}

function createLoaders(source: Source, reach: Reach) {
  const merchants = merchantLoaders(source, reach);
  const stores = storeLoaders(source, reach, merchants.merchantById);
  return {
    ...merchants,
    ...stores,
    ...menuLoaders(source.query, source.orm.getMetadata()),
    ...orderLoaders(source, reach, stores.rememberStore),
  };
}
