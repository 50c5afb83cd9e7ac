import DataLoader from 'dataloader';
import { type Connection, createConnection } from '../../lists/connection.ts';
import type { ConnectionArguments, Page, PageRequest } from '../../lists/paging.ts';
import type { CostBudget } from '../../scheduling/cost-budget.ts';
import type { Store } from '../../store/entities.ts';
import type { Configuration } from '../configuration.ts';
import { createHistoryCharge } from './cost.ts';
import { checkHistoryArguments, type HistoryEntry, type MenuHistoryRepository } from './repository.ts';

export type MenuHistoryConnection = Connection<HistoryEntry>;

interface ConfigurationKey {
  readonly storeId: string;
  readonly revision: number;
}

/** Called with stores, or with what was loaded through them: only stores in the key's access scope can be loaded. */
export function menuHistoryLoaders(repository: MenuHistoryRepository, budget: CostBudget) {
  const counts = new DataLoader<string, number>(storeIds => repository.count(storeIds));
  const charge = createHistoryCharge(repository.countEntities, budget);
  const configurations = new DataLoader<ConfigurationKey, Configuration, string>(
    async keys => {
      const found = await repository.findConfigurationsAt(keys);
      return found.map((configuration, index) => configuration ?? new Error(`Store ${keys[index]?.storeId} is gone`));
    },
    { cacheKeyFn: ({ storeId, revision }) => `${revision} ${storeId}` },
  );
  // One statement per distinct page, for all stores.
  const pages = new Map<string, DataLoader<string, Page<HistoryEntry>>>();
  const pagesOf = (page: PageRequest) => {
    const key = JSON.stringify(page);
    const loader = pages.get(key) ?? new DataLoader(storeIds => repository.findPages(storeIds, page));
    pages.set(key, loader);
    return loader;
  };
  return {
    /** Newest first. */
    list({ id }: Store, args: ConnectionArguments): MenuHistoryConnection {
      const loader = pagesOf(checkHistoryArguments(id, args));
      return createConnection(
        () => loader.load(id),
        () => counts.load(id),
      );
    },
    async configurationAt({ storeId, revision }: ConfigurationKey): Promise<Configuration> {
      await charge({ storeId, revisions: [revision], comparisons: 0 });
      return configurations.load({ storeId, revision });
    },
    /** Resolves if the request may compare these revisions of a store, the only one with its current one. */
    chargeComparison: ({ id: storeId }: Store, revisions: readonly number[]): Promise<void> =>
      charge({ storeId, revisions, comparisons: 1 }),
  };
}
