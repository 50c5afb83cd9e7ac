import { ResponseTooLarge } from '@carte/base/errors';
import DataLoader from 'dataloader';
import { scopedLoader } from '../database/batch-loader.ts';
import type { RelayConnection } from '../lists/paging.ts';
import type { Configuration } from '../menu/configuration.ts';
import type { menuLoaders } from '../menu/loaders.ts';
import type { CostBudget } from '../scheduling/cost-budget.ts';
import { type AccessScope, hasOwnOrdersOnly } from '../scope.ts';
import type { Store } from '../store/entities.ts';
import type { storeLoaders } from '../store/loaders.ts';
import type { Search } from './arguments.ts';
import type { Order } from './entities.ts';
import type { AmountOwner } from './lines.ts';
import type { OrderPage, OrderRepository } from './repository.ts';
import { isCounted } from './where-clause.ts';

export function orderLoaders(repository: OrderRepository, scope: AccessScope) {
  return { byId: scopedLoader(repository.byId, scope) };
}

/** Cost of loading a configuration: that of the fields of `Store` that do. */
const costPerMenu = 1000;

interface MenuSources {
  readonly stores: ReturnType<typeof storeLoaders>;
  readonly menus: ReturnType<typeof menuLoaders>;
  readonly budget: CostBudget;
}

/** Loads the current menus of the stores of orders or nodes, each once, and charges them: no selection tells how many there are. */
export function menuOfStoreLoader({ stores, menus, budget }: MenuSources) {
  const loadStore = async ({ store, loadedStore }: AmountOwner) => loadedStore ?? (await stores.byId.load(store));
  return new DataLoader<AmountOwner, Configuration | null, string>(
    owners => {
      budget.charge(
        owners.length * costPerMenu,
        () => `the menus of ${owners.length} stores, which lines of orders or nodes select`,
      );
      return Promise.all(
        owners.map(async owner => {
          const store = await loadStore(owner);
          return store && menus.byStore.load(store);
        }),
      );
    },
    { cacheKeyFn: ({ store }) => store },
  );
}

export interface OrderConnection extends RelayConnection<Order> {
  readonly search: Search;
}

/**
 * Reads pages after `revisionsRead` resolves, so that no revision of the same response is newer than its orders. Throws `ResponseTooLarge`
 * before it reads more orders than the response may have.
 */
export function orderPageLoaders(
  repository: OrderRepository,
  revisionsRead: () => Promise<void>,
  {
    scope,
    budget,
    maxOrders = Number.POSITIVE_INFINITY,
  }: { readonly scope: AccessScope; readonly budget: CostBudget; readonly maxOrders?: number | undefined },
) {
  const own = hasOwnOrdersOnly(scope) ? { placedBy: scope.keyId ?? '' } : {};
  const checkNumber = createNumberCheck(repository, budget, maxOrders);
  const found = loaderBySearch(revisionsRead, repository.findPages, checkNumber);
  const counts = loaderBySearch(revisionsRead, repository.countPages);
  return (store: Store, search: Search): OrderConnection => {
    const page = { store, search: { ...search, ...own }, selected: { orders: false, count: false } };
    return {
      search,
      page() {
        page.selected.orders = true;
        return found.load(page);
      },
      async totalCount() {
        page.selected.count = true;
        // Yields a microtask so that sibling resolvers load the orders first, whose statement then includes the count.
        await null;
        const isFound = page.selected.orders || !isCounted(page.search);
        const count = isFound ? (await found.load(page)).count : undefined;
        return count ?? (await counts.load(page)).count;
      },
    };
  };
}

/** Cost of reading an order, in units of some 0.5 µs of CPU (docs/limits.md#cost). */
const costPerOrder = 20;

type CheckPages = (groups: readonly (readonly OrderPage[])[]) => Promise<void>;

/**
 * Creates the check of the number of orders in all pages of a request, before any of them is read. It takes every page for a full one; only if that
 * is too many, and the counters have the number of matches, it reads these.
 */
function createNumberCheck(repository: OrderRepository, budget: CostBudget, maxOrders: number): CheckPages {
  let allowed = 0;
  const countFull = (pages: readonly OrderPage[]) => pages.length * (pages[0]?.search.size ?? 0);
  const countOrders = async (pages: readonly OrderPage[]): Promise<number> => {
    const [{ search } = { search: undefined }] = pages;
    if (!search || !isCounted(search)) return countFull(pages);
    const counts = await repository.countPages(pages, search);
    return sum(counts.map(({ count }) => Math.min(count, search.size)));
  };
  return async groups => {
    let orders = sum(groups.map(countFull));
    if (allowed + orders > maxOrders || orders * costPerOrder > budget.rest) {
      orders = sum(await Promise.all(groups.map(countOrders)));
      const stores = Math.max(...groups.map(pages => pages.length));
      if (allowed + orders > maxOrders) throw tooManyOrders(allowed + orders, stores, maxOrders);
    }
    allowed += orders;
    budget.charge(orders * costPerOrder, () => `${orders.toLocaleString('en-US')} orders`);
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function tooManyOrders(orders: number, stores: number, maxOrders: number): ResponseTooLarge {
  const [found, of, most] = [orders, stores, maxOrders].map(number => number.toLocaleString('en-US'));
  const limit = `a response has at most ${most} objects in lists`;
  return new ResponseTooLarge(
    `The pages of orders of ${of} stores have up to ${found} orders; ${limit}. Request fewer at once.`,
  );
}

/** Issues one statement per distinct search, for all its stores. */
function loaderBySearch<T>(
  revisionsRead: () => Promise<void>,
  read: (pages: readonly OrderPage[], search: Search) => Promise<readonly T[]>,
  check: CheckPages = async () => {},
) {
  const readGroup = async (pages: readonly OrderPage[]) => {
    const [first] = pages;
    return first ? read(pages, first.search) : [];
  };
  return new DataLoader<OrderPage, T, string>(
    async pages => {
      await revisionsRead();
      const groups = [...Map.groupBy(pages, page => JSON.stringify(page.search)).values()];
      await check(groups);
      const results = await Promise.all(groups.map(readGroup));
      const byPage = new Map(groups.flatMap((group, at) => group.map((page, index) => [page, results[at]?.[index]])));
      return pages.map(page => byPage.get(page) ?? new Error(`The orders of store ${page.store.id} were not read`));
    },
    { cacheKeyFn: ({ store, search }) => JSON.stringify([store.id, search]) },
  );
}
