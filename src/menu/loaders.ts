import DataLoader from 'dataloader';
import type { Store } from '../store/entities.ts';
import type { Configuration } from './configuration.ts';
import type { MenuRepository } from './repository.ts';

/**
 * Both take the store itself, not its id: whoever holds a store has loaded it in the key's scope. A request sees one revision
 * of each store, because it loads each configuration once.
 */
export function menuLoaders(repository: MenuRepository) {
  const configurations = new DataLoader<Store, Configuration, string>(
    async stores => {
      const found = await repository.findConfigurations(stores.map(store => store.id));
      return stores.map(store => found.get(store.id) ?? new Error(`Store ${store.id} is gone`));
    },
    { cacheKeyFn: store => store.id },
  );
  const loaded = new Map<string, Promise<Configuration>>();
  return {
    byStore: {
      load(store: Store): Promise<Configuration> {
        const configuration = configurations.load(store);
        loaded.set(store.id, configuration);
        return configuration;
      },
      /** What this request has just written is what it goes on to read. */
      prime(store: Store, configuration: Configuration): void {
        configurations.clear(store).prime(store, configuration);
        loaded.set(store.id, Promise.resolve(configuration));
      },
    },
    /** That of the configuration, where a query selects both: the store's row was read at another moment. */
    async revisionOf(store: Store): Promise<number> {
      // Yields a microtask so that sibling resolvers load the configuration first.
      await null;
      return (await loaded.get(store.id))?.revision ?? store.menuRevision;
    },
  };
}
