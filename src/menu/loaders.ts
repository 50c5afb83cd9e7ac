import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { currencyOf } from '../store/currency.ts';
import type { Store } from '../store/entities.ts';
import type { Configuration } from './configuration.ts';
import { byKind, type KindName } from './kinds.ts';
import type { Written } from './replace.ts';
import type { MenuRepository, Orderable, Place, SoldOutRow } from './repository.ts';

/**
 * Keyed by the store itself rather than its id: only stores in the key's access scope can be loaded. A request sees one
 * revision of each store, because each configuration is loaded once.
 */
export function menuLoaders(repository: MenuRepository) {
  const configurations = new DataLoader<Store, Configuration, string>(
    async stores => {
      const found = await repository.findConfigurations(stores.map(store => store.id));
      return stores.map(store => found.get(store.id) ?? new Error(`Store ${store.id} is gone`));
    },
    { cacheKeyFn: store => store.id },
  );
  const revisions = new Map<string, Promise<Written>>();
  const currencies = new Map<string, string | null>();
  const rememberCurrency = (store: Store): void => void currencies.set(store.id, currencyOf(store));
  const soldOut = new DataLoader<string, readonly SoldOutRow[]>(async storeIds => {
    const byStore = Map.groupBy(await repository.findSoldOut(storeIds), ({ storeId }) => storeId);
    return storeIds.map(id => byStore.get(id) ?? []);
  });
  const places = byKind(
    ({ name }) =>
      new DataLoader<number, Place | null>(async numericIds => {
        const byNumber = new Map(
          (await repository.findPlaces(name, numericIds)).map(place => [place.numericId, place]),
        );
        return numericIds.map(id => byNumber.get(id) ?? null);
      }),
  );
  return {
    /** Where an entity is, whether its store is in scope or not. */
    placeOf: (kind: KindName, numericId: number) => places[kind].load(numericId),
    /** What is sold out until a time, the next one first. */
    soldOutOf: ({ id }: Store) => soldOut.load(id),
    byStore: {
      load(store: Store): Promise<Configuration> {
        rememberCurrency(store);
        const configuration = configurations.load(store);
        revisions.set(store.id, configuration);
        return configuration;
      },
      /** Reads the configuration as of a transaction, instead of the one that the request has seen. */
      loadIn: (tx: EntityManager, store: Store): Promise<Orderable | undefined> =>
        repository.findOrderableIn(tx, store.id),
      /** Makes the request read its own write; a configuration that was not read is loaded where it is selected. */
      update(store: Store, written: Written): void {
        configurations.clear(store);
        if ('items' in written) configurations.prime(store, written);
        soldOut.clear(store.id);
        revisions.set(store.id, Promise.resolve(written));
      },
    },
    /** Lets the amounts in past configurations of a store know their currency, as those in its current one do. */
    rememberCurrency,
    /** The currency of a configuration's store, without a promise, since a menu has thousands of amounts; undefined if it is not known here. */
    currencyOf: ({ storeId }: Configuration): string | null | undefined => currencies.get(storeId),
    /** Prefers the revision that was loaded or written last, since the store's row may come from an earlier snapshot. */
    async revisionOf(store: Store): Promise<number> {
      // Yields a microtask so that sibling resolvers load the configuration first.
      await null;
      return (await revisions.get(store.id))?.revision ?? store.menuRevision;
    },
  };
}
