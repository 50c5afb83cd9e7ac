import type { MikroORM } from '@mikro-orm/postgresql';
import type { Access } from '../lookup.ts';
import { defaultMenuLimits, type MenuLimits } from '../menu/limits.ts';
import { menuLoaders } from '../menu/loaders.ts';
import type { MenuDatabase } from '../menu/replace.ts';
import { merchantLoaders } from '../merchant/loaders.ts';
import { orderLoaders, orderPageLoaders } from '../order/loaders.ts';
import { nothing, type Reach } from '../reach.ts';
import { storeLoaders } from '../store/loaders.ts';
import { readStamp, type Stamp } from '../store/stamp.ts';

/** What one request works with. Loaders remember what they loaded, so a context is never used for a second request. */
export interface Context {
  /** Absent without a key; then nothing but the schema itself can be asked for. */
  readonly reach: Reach | undefined;
  readonly loaders: Loaders;
  /** Where menu configurations are written. */
  readonly menuDatabase: MenuDatabase;
  /** How large one may be. */
  readonly menuLimits: MenuLimits;
  /** Told how many seconds a replacement took. */
  readonly onReplaced: (seconds: number) => void;
}

/** Where contexts get their data. */
export interface Source extends Access {
  readonly orm: MikroORM;
  readonly menuLimits?: MenuLimits;
  readonly onReplaced?: (seconds: number) => void;
}

export function createContext(source: Source, reach: Reach | undefined): Context {
  return {
    reach,
    menuDatabase: { transact: source.transact, metadata: source.orm.getMetadata() },
    menuLimits: source.menuLimits ?? defaultMenuLimits,
    onReplaced: source.onReplaced ?? (() => {}),
    loaders: new Loaders(source, reach ?? nothing),
  };
}

/** What tells whether anything of a store has changed; undefined for a store that is absent or out of reach. */
export function stampOf(
  { lookUp }: Source,
  reach: Reach | undefined,
  store: { readonly storeId: string; readonly names: readonly string[] },
): Promise<Stamp | undefined> {
  return readStamp(lookUp, { ...store, reach: reach ?? nothing });
}

/** What a request loads with, by domain; each is made when it is first asked for, since most requests need few. */
class Loaders {
  readonly #source: Source;
  readonly #reach: Reach;
  #merchants: ReturnType<typeof merchantLoaders> | undefined;
  #stores: ReturnType<typeof storeLoaders> | undefined;
  #menus: ReturnType<typeof menuLoaders> | undefined;
  #orders: ReturnType<typeof orderLoaders> | undefined;
  #orderPages: ReturnType<typeof orderPageLoaders> | undefined;

  constructor(source: Source, reach: Reach) {
    this.#source = source;
    this.#reach = reach;
  }

  get merchants() {
    this.#merchants ??= merchantLoaders(this.#source, this.#reach);
    return this.#merchants;
  }

  get stores() {
    this.#stores ??= storeLoaders(this.#source, this.#reach, merchant => {
      this.merchants.byId.prime(merchant.id, merchant);
    });
    return this.#stores;
  }

  get menus() {
    this.#menus ??= menuLoaders(this.#source.query, this.#source.orm.getMetadata());
    return this.#menus;
  }

  get orders() {
    this.#orders ??= orderLoaders(this.#source, this.#reach);
    return this.#orders;
  }

  get orderPages() {
    this.#orderPages ??= orderPageLoaders(this.#source);
    return this.#orderPages;
  }
}
