import DataLoader from 'dataloader';
import type { Reading } from '../lookup.ts';
import type { Reach } from '../reach.ts';
import { Remembered } from '../remembered.ts';
import type { Search } from './arguments.ts';
import { isCounted } from './conditions.ts';
import type { Order } from './entities.ts';
import { countOrders, type FoundOrders, findOrders, type OrderPage } from './search.ts';
import { orderRows, toOrderInStore } from './select.ts';

export function orderLoaders({ lookUp }: Pick<Reading, 'lookUp'>, reach: Reach) {
  const find = async (id: string) => {
    const row = await lookUp(orderRows, reach, id);
    return row ? toOrderInStore(row) : null;
  };
  return { byId: new Remembered<Order | null>(find) };
}

export function orderPageLoaders({ query }: Pick<Reading, 'query'>) {
  const found = bySearch((pages, search) => findOrders(query, pages, search));
  const counts = bySearch((pages, search) => countOrders(query, pages, search));
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
        // Until the fields beside this one have asked for the orders, which then come with their count.
        await null;
        const counted = page.asked.orders || !isCounted(page.search) ? (await found.load(page)).count : undefined;
        return counted ?? (await counts.load(page)).count;
      },
    },
  };
}

/** One statement per distinct search, however many stores are searched. */
function bySearch<T>(read: (pages: readonly OrderPage[], search: Search) => Promise<readonly T[]>) {
  const readAlike = async (pages: readonly OrderPage[]) => {
    const [first] = pages;
    return first ? read(pages, first.search) : [];
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
