import DataLoader from 'dataloader';
import type { AccessScope } from '../auth/scope.ts';
import { scopedLoader } from '../database/batch-loader.ts';
import type { Search } from './arguments.ts';
import type { FoundOrders, OrderPage, OrderRepository } from './repository.ts';
import { isCounted } from './where-clause.ts';

export function orderLoaders(repository: OrderRepository, scope: AccessScope) {
  return { byId: scopedLoader(repository.byId, scope) };
}

/** Reads pages after `revisionsRead` resolves, so that no revision of the same response is newer than its orders. */
export function orderPageLoaders(repository: OrderRepository, revisionsRead: () => Promise<void>) {
  const found = loaderBySearch(revisionsRead, repository.findPages);
  const counts = loaderBySearch(revisionsRead, repository.countPages);
  return {
    found: {
      load(page: OrderPage): Promise<FoundOrders> {
        page.selected.orders = true;
        return found.load(page);
      },
    },
    counts: {
      async load(page: OrderPage): Promise<number> {
        page.selected.count = true;
        // Yields a microtask so that sibling resolvers load the orders first, whose statement then includes the count.
        await null;
        const isFound = page.selected.orders || !isCounted(page.search);
        const count = isFound ? (await found.load(page)).count : undefined;
        return count ?? (await counts.load(page)).count;
      },
    },
  };
}

/** Issues one statement per distinct search, for all its stores. */
function loaderBySearch<T>(
  revisionsRead: () => Promise<void>,
  read: (pages: readonly OrderPage[], search: Search) => Promise<readonly T[]>,
) {
  const readGroup = async (pages: readonly OrderPage[]) => {
    const [first] = pages;
    return first ? read(pages, first.search) : [];
  };
  return new DataLoader<OrderPage, T, string>(
    async pages => {
      await revisionsRead();
      const groups = [...Map.groupBy(pages, page => JSON.stringify(page.search)).values()];
      const results = await Promise.all(groups.map(readGroup));
      const byPage = new Map(groups.flatMap((group, at) => group.map((page, index) => [page, results[at]?.[index]])));
      return pages.map(page => byPage.get(page) ?? new Error(`The orders of store ${page.store.id} were not read`));
    },
    { cacheKeyFn: ({ store, search }) => JSON.stringify([store.id, search]) },
  );
}
