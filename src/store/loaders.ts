import DataLoader from 'dataloader';
import { scopedLoader } from '../database/batch-loader.ts';
import { checkListArguments, type ListArguments, slicePage } from '../lists/entity-list.ts';
import type { RelayConnection } from '../lists/paging.ts';
import type { AccessScope } from '../scope.ts';
import type { Store } from './entities.ts';
import type { StoreRepository } from './repository.ts';

export type StoreConnection = RelayConnection<Store>;

export function storeLoaders(repository: StoreRepository, scope: AccessScope) {
  const byId = scopedLoader(repository.byId, scope);

  /** All stores of a merchant, oldest first. */
  const byMerchant = new DataLoader<string, readonly Store[]>(async merchantIds => {
    const stores = await repository.findOfMerchants(scope, merchantIds);
    for (const store of stores) byId.prime(store.id, store);
    const grouped = Map.groupBy(stores, store => store.merchant);
    return merchantIds.map(id => grouped.get(id) ?? []);
  });

  const revisionsById = scopedLoader(repository.revisionsById, scope);
  const pending: Promise<unknown>[] = [];

  return {
    byId,
    revisionOf: async ({ id }: Store): Promise<number> => (await revisionsById.load(id))?.revision ?? 0,
    /** Read before the orders of the same request, so that a client never misses a change. */
    ordersRevisionOf({ id, ordersRevision }: Store): number | Promise<number> {
      if (ordersRevision !== undefined) return ordersRevision;
      const revision = revisionsById.load(id).then(store => store?.ordersRevision ?? 0);
      pending.push(revision);
      return revision;
    },
    /** Has the orders of the same request be read after something else. */
    readBeforeOrders<T>(read: Promise<T>): Promise<T> {
      pending.push(read);
      return read;
    },
    /** Resolves when all requested revisions are read. */
    async revisionsRead(): Promise<void> {
      if (pending.length > 0) await Promise.allSettled(pending);
    },
    list: (args: ListArguments): StoreConnection => repository.list(scope, args, byId),
    /** Oldest first. */
    listOfMerchant(merchantId: string, args: ListArguments): StoreConnection {
      const request = checkListArguments('store', args);
      const stores = () => byMerchant.load(merchantId);
      return {
        page: async () => slicePage(await stores(), request),
        totalCount: async () => (await stores()).length,
      };
    },
  };
}
