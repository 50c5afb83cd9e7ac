import { TimeSlice } from '@carte/base/time-slice';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { createKeyRepository, keyLoaders } from '../auth/repository.ts';
import type { ReadAccess } from '../database/pool.ts';
import { EventCursors } from '../events/cursor.ts';
import type { EventFeed } from '../events/feed.ts';
import { currentPosition, type PageQuery, readPage } from '../events/log.ts';
import type { WaitForEvents } from '../events/polling.ts';
import type { EventSource } from '../events/source.ts';
import { defaultHistoryLimits, defaultMenuLimits, type HistoryLimits, type MenuLimits } from '../limits.ts';
import { menuHistoryLoaders } from '../menu/history/loaders.ts';
import { createMenuHistoryRepository } from '../menu/history/repository.ts';
import { menuLoaders } from '../menu/loaders.ts';
import { createMenuRepository } from '../menu/repository.ts';
import { merchantLoaders } from '../merchant/loaders.ts';
import { createMerchantRepository } from '../merchant/repository.ts';
import { orderByTokenLoader } from '../order/guest-tokens.ts';
import type { GuestOrders } from '../order/guests.ts';
import { menuOfStoreLoader, orderLoaders, orderPageLoaders } from '../order/loaders.ts';
import { createOrderRepository } from '../order/repository.ts';
import { CostBudget } from '../scheduling/cost-budget.ts';
import { type AccessScope, emptyScope, forkInScope } from '../scope.ts';
import { storeLoaders } from '../store/loaders.ts';
import { createStoreRepository } from '../store/repository.ts';
import type { MessageEvent } from '../webhooks/message.ts';
import type { WebhookDependencies } from '../webhooks/redeliver.ts';
import { createWebhookRepository, webhookLoaders } from '../webhooks/repository.ts';

export { type CheckGuestOrder, createGuestOrders } from '../order/guests.ts';

/** By which interface a request came; the menu history records it. */
type Transport = 'GRAPHQL' | 'REST';

/** What the contexts of all requests have in common. */
interface SharedContext {
  readonly menuLimits: MenuLimits;
  readonly historyLimits: HistoryLimits;
  /** Called with the duration of a replacement, in seconds. */
  readonly onReplaced: (seconds: number) => void;
  /** Told of the end of each mutation; absent in commands. */
  readonly feed: Pick<EventFeed, 'sequence'> | undefined;
  /** Rejects where there is no request that could wait. */
  readonly waitForEvents: WaitForEvents;
  /** Absent in commands, which have no guests. */
  readonly guestOrders: GuestOrders | undefined;
  /** Absent where no message can be sent. */
  readonly webhooks: WebhookDependencies | undefined;
}

/** Context value of one request. Its DataLoaders cache, so it is never used for a second request. */
export interface Context extends SharedContext {
  /** Undefined without an API key; then only introspection is allowed. */
  readonly scope: AccessScope | undefined;
  readonly loaders: Loaders;
  /** Forks an entity manager for writes, in the scope of the key. */
  readonly forkEntityManager: () => EntityManager;
  readonly transport: Transport;
  /** Charged before something is loaded whose size the selection does not tell. */
  readonly budget: CostBudget;
  /** Of all fields that compute something for long, however many there are. */
  readonly slice: TimeSlice;
  /** Of the response to one operation, in lists; undefined if they are not limited. */
  readonly maxObjects: number | undefined;
  /** Opens the stream of a subscription; absent in any other operation, and when an event is resolved. */
  readonly eventSource?: EventSource;
  /** The message to a webhook that is rendered; absent in requests. */
  readonly message?: MessageEvent;
}

/** Compiled queries and batch loaders of every domain, shared by the requests of a process. */
export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories(access: ReadAccess, historyLimits = defaultHistoryLimits) {
  return {
    merchants: createMerchantRepository(access),
    stores: createStoreRepository(access),
    menus: createMenuRepository(access),
    menuHistory: createMenuHistoryRepository(access, historyLimits),
    orders: createOrderRepository(access),
    events: {
      position: () => currentPosition(access.primary),
      readPage: (query: PageQuery) => readPage(access.primary, query),
      cursors: new EventCursors(access.primary),
    },
    webhooks: createWebhookRepository(access),
    apiKeys: createKeyRepository(access),
  };
}

export interface ContextDependencies extends Partial<SharedContext> {
  readonly orm: MikroORM;
  readonly repositories: Repositories;
  /** Limits of one operation on its cost, and on the objects in the lists of its response; absent if there are none. */
  readonly maxCost?: number;
  readonly maxObjects?: number;
}

const cannotWait: WaitForEvents = async () => {
  throw new Error('There is no feed of events to wait for');
};

export function createContext(
  dependencies: ContextDependencies,
  scope: AccessScope | undefined,
  { transport = 'GRAPHQL', cost = 0 }: { readonly transport?: Transport; readonly cost?: number } = {},
): Context {
  const budget = new CostBudget(dependencies.maxCost, cost);
  return {
    scope,
    transport,
    budget,
    slice: new TimeSlice(),
    maxObjects: dependencies.maxObjects,
    forkEntityManager: () => forkInScope(dependencies.orm, scope ?? emptyScope),
    menuLimits: dependencies.menuLimits ?? defaultMenuLimits,
    historyLimits: dependencies.historyLimits ?? defaultHistoryLimits,
    onReplaced: dependencies.onReplaced ?? (() => {}),
    feed: dependencies.feed,
    waitForEvents: dependencies.waitForEvents ?? cannotWait,
    guestOrders: dependencies.guestOrders,
    webhooks: dependencies.webhooks,
    loaders: new Loaders(dependencies, scope ?? emptyScope, budget),
  };
}

export function createRouteContexts(dependencies: ContextDependencies) {
  return ({ scope }: { readonly scope: AccessScope }, cost: number): Context =>
    createContext(dependencies, scope, { transport: 'REST', cost });
}

/** DataLoaders of a request by domain, created on first use: most requests need few. */
class Loaders {
  readonly #repositories: Repositories;
  readonly #maxObjects: number | undefined;
  #scope: AccessScope;
  readonly #budget: CostBudget;
  readonly #created = new Map<string, unknown>();

  constructor({ repositories, maxObjects }: ContextDependencies, scope: AccessScope, budget: CostBudget) {
    this.#repositories = repositories;
    this.#maxObjects = maxObjects;
    this.#scope = scope;
    this.#budget = budget;
  }

  /** Drops everything that was loaded, so that the request reads its own writes, or goes on in the scope that its key has by then. */
  clear(scope = this.#scope): void {
    this.#scope = scope;
    this.#created.clear();
  }

  #once<T>(name: keyof Loaders, create: () => T): T {
    const known = this.#created.get(name) as T | undefined;
    if (known !== undefined) return known;
    const created = create();
    this.#created.set(name, created);
    return created;
  }

  get merchants() {
    return this.#once('merchants', () => merchantLoaders(this.#repositories.merchants, this.#scope));
  }

  get stores() {
    return this.#once('stores', () => storeLoaders(this.#repositories.stores, this.#scope));
  }

  get menus() {
    return this.#once('menus', () => menuLoaders(this.#repositories.menus));
  }

  get menuHistory() {
    return this.#once('menuHistory', () => menuHistoryLoaders(this.#repositories.menuHistory, this.#budget));
  }

  get orders() {
    return this.#once('orders', () => orderLoaders(this.#repositories.orders, this.#scope));
  }

  /** By token. */
  get guestOrders() {
    const loadOrder = (orderId: string) => this.orders.byId.load(orderId);
    return this.#once('guestOrders', () =>
      orderByTokenLoader(this.#repositories.orders.primary, this.#scope, loadOrder),
    );
  }

  get events() {
    return this.#repositories.events;
  }

  /** The end of the event log, read before the orders of the same request: what these do not show is after it. */
  get eventPosition() {
    return this.#once('eventPosition', () => this.stores.readBeforeOrders(this.#repositories.events.position()));
  }

  get orderPages() {
    const limits = { scope: this.#scope, budget: this.#budget, maxOrders: this.#maxObjects };
    return this.#once('orderPages', () =>
      orderPageLoaders(this.#repositories.orders, () => this.stores.revisionsRead(), limits),
    );
  }

  get menusOfStores() {
    return this.#once('menusOfStores', () =>
      menuOfStoreLoader({ stores: this.stores, menus: this.menus, budget: this.#budget }),
    );
  }

  get webhooks() {
    return this.#once('webhooks', () => webhookLoaders(this.#repositories.webhooks, this.#scope));
  }

  get apiKeys() {
    return this.#once('apiKeys', () => keyLoaders(this.#repositories.apiKeys, this.#scope));
  }
}
