import DataLoader from 'dataloader';
import type { AccessScope } from '../auth/scope.ts';
import { scopedLoader } from '../database/batch-loader.ts';
import type { Search } from './arguments.ts';
import { isCounted } from './conditions.ts';
import type { OrderRepository } from './repository.ts';
import type { FoundOrders, OrderPage } from './search.ts';

export function orderLoaders(repository: OrderRepository, scope: AccessScope) {
  return { byId: scopedLoader(repository.byId, scope) };
}

/** `revisionsRead` resolves when orders may be read: after the revisions that a query selects beside them. */
export function orderPageLoaders(repository: OrderRepository, revisionsRead: () => Promise<void>) {
  const found = bySearch(revisionsRead, (pages, search) => repository.findPages(pages, search));
  const counts = bySearch(revisionsRead, (pages, search) => repository.countPages(pages, search));
  return {
    found: {
      load(page: OrderPage): Promise<FoundOrders> {
        page.asked.orders = true;
        return found.load(page);
      },
    },
    counts: {
      async load(page: OrderPage): Promise<number> {
        page.asked.count = true;
        // Yields a microtask so that sibling resolvers load the orders first, which then come with their count.
        await null;
        const counted = page.asked.orders || !isCounted(page.search) ? (await found.load(page)).count : undefined;
        return counted ?? (await counts.load(page)).count;
      },
    },
  };
}

/** One statement per distinct search, however many stores are searched. */
function bySearch<T>(
  revisionsRead: () => Promise<void>,
  read: (pages: readonly OrderPage[], search: Search) => Promise<readonly T[]>,
) {
  const readAlike = async (pages: readonly OrderPage[]) => {
    const [first] = pages;
    return first ? read(pages, first.search) : [];
  };
  return new DataLoader<OrderPage, T, string>(
    async pages => {
      await revisionsRead();
      const alike = [...Map.groupBy(pages, page => JSON.stringify(page.search)).values()];
      const answers = await Promise.all(alike.map(readAlike));
      const byPage = new Map(alike.flatMap((group, at) => group.map((page, index) => [page, answers[at]?.[index]])));
      return pages.map(page => byPage.get(page) ?? new Error(`The orders of store ${page.store.id} were not read`));
    },
    { cacheKeyFn: ({ store, search }) => JSON.stringify([store.id, search]) },
  );
}
