import DataLoader from 'dataloader';
import type { Reach } from '../reach.ts';
import type { Query } from '../statement.ts';
import type { Store } from '../store/entities.ts';
import type { Search } from './arguments.ts';
import { isCounted } from './conditions.ts';
import type { Order } from './entities.ts';
import { countOrders, findOrders, type OrderPage } from './search.ts';
import { selectOrders } from './select.ts';

export function orderLoaders(query: Query, reach: Reach) {
  const pages = bySearch((stores, search) => findOrders(query, stores, search));
  const counts = bySearch((stores, search) => countOrders(query, stores, search));
  return {
    orderById: new DataLoader<string, Order | null>(async ids => {
      const orders = await selectOrders(query, reach, ids);
      const byId = new Map(orders.map(order => [order.id, order]));
      return ids.map(id => byId.get(id) ?? null);
    }),
    ordersByStore: pages,
    orderCountByStore: {
      /** Where counting is work, finding the page may have done it already. */
      async load(page: OrderPage): Promise<number> {
        const counted = isCounted(page.search) ? undefined : (await pages.load(page)).count;
        return counted ?? (await counts.load(page)).count;
      },
    },
  };
}

/** One statement per distinct search, however many stores are searched. */
function bySearch<T>(read: (stores: readonly Store[], search: Search) => Promise<readonly T[]>) {
  const readAlike = async (pages: readonly OrderPage[]) => {
    const [first] = pages;
    const stores = pages.map(page => page.store);
    return first ? read(stores, first.search) : [];
  };
  return new DataLoader<OrderPage, T, string>(
    async pages => {
      const alike = [...Map.groupBy(pages, page => JSON.stringify(page.search)).values()];
      const answers = await Promise.all(alike.map(readAlike));
      const byPage = new Map(alike.flatMap((group, at) => group.map((page, index) => [page, answers[at]?.[index]])));
      return pages.map(page => byPage.get(page) ?? new Error(`The orders of store ${page.store.id} were not read`));
    },
    { cacheKeyFn: ({ store, search }) => JSON.stringify([store.id, search]) },
  );
}
