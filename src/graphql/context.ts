import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type AccessScope, emptyScope } from '../auth/scope.ts';
import type { ReadAccess } from '../database/access.ts';
import { defaultMenuLimits, type MenuLimits } from '../menu/limits.ts';
import { menuLoaders } from '../menu/loaders.ts';
import { createMenuRepository } from '../menu/repository.ts';
import { merchantLoaders } from '../merchant/loaders.ts';
import { createMerchantRepository } from '../merchant/repository.ts';
import { orderLoaders, orderPageLoaders } from '../order/loaders.ts';
import { createOrderRepository } from '../order/repository.ts';
import { loadRevisions, storeLoaders } from '../store/loaders.ts';
import { createStoreRepository, type StoreRevisions } from '../store/repository.ts';

/** What one request works with. Loaders cache what they have loaded, so a context is never used for a second request. */
export interface Context {
  /** Absent without a key; then only the schema itself can be queried. */
  readonly scope: AccessScope | undefined;
  readonly loaders: Loaders;
  /** For writing. */
  readonly forkEntityManager: () => EntityManager;
  /** How large a menu configuration may be. */
  readonly menuLimits: MenuLimits;
  /** Called with the seconds that a replacement took. */
  readonly onReplaced: (seconds: number) => void;
}

/** What the requests of a process share: the compiled queries and batch loaders of every domain. */
export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories(access: ReadAccess) {
  return {
    merchants: createMerchantRepository(access),
    stores: createStoreRepository(access),
    menus: createMenuRepository(access),
    orders: createOrderRepository(access),
  };
}

/** What contexts are made of. */
export interface ContextSource {
  readonly orm: MikroORM;
  readonly repositories: Repositories;
  readonly menuLimits?: MenuLimits;
  readonly onReplaced?: (seconds: number) => void;
}

export function createContext(source: ContextSource, scope: AccessScope | undefined): Context {
  return {
    scope,
    forkEntityManager: () => source.orm.em.fork(),
    menuLimits: source.menuLimits ?? defaultMenuLimits,
    onReplaced: source.onReplaced ?? (() => {}),
    loaders: new Loaders(source.repositories, scope ?? emptyScope),
  };
}

/** The revisions of a store; undefined for one that is absent or out of scope. */
export function revisionsOf(
  { repositories }: ContextSource,
  scope: AccessScope | undefined,
  store: { readonly storeId: string; readonly names: readonly string[] },
): Promise<StoreRevisions | undefined> {
  return loadRevisions(repositories.stores, { ...store, scope: scope ?? emptyScope });
}

/** The DataLoaders of a request, by domain; each is made when it is first used, since most requests need few. */
class Loaders {
  readonly #repositories: Repositories;
  readonly #scope: AccessScope;
  #merchants: ReturnType<typeof merchantLoaders> | undefined;
  #stores: ReturnType<typeof storeLoaders> | undefined;
  #menus: ReturnType<typeof menuLoaders> | undefined;
  #orders: ReturnType<typeof orderLoaders> | undefined;
  #orderPages: ReturnType<typeof orderPageLoaders> | undefined;

  constructor(repositories: Repositories, scope: AccessScope) {
    this.#repositories = repositories;
    this.#scope = scope;
  }

  get merchants() {
    this.#merchants ??= merchantLoaders(this.#repositories.merchants, this.#scope);
    return this.#merchants;
  }

  get stores() {
    this.#stores ??= storeLoaders(this.#repositories.stores, this.#scope);
    return this.#stores;
  }

  get menus() {
    this.#menus ??= menuLoaders(this.#repositories.menus);
    return this.#menus;
  }

  get orders() {
    this.#orders ??= orderLoaders(this.#repositories.orders, this.#scope);
    return this.#orders;
  }

  get orderPages() {
    this.#orderPages ??= orderPageLoaders(this.#repositories.orders, () => this.stores.revisionsRead());
    return this.#orderPages;
  }
}
