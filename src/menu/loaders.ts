import type { MetadataStorage } from '@mikro-orm/core';
import DataLoader from 'dataloader';
import type { Query } from '../statement.ts';
import type { Store } from '../store/entities.ts';
import type { Configuration } from './configuration.ts';
import { readConfigurations } from './read.ts';

/**
 * Both take the store itself, not its id: whoever holds a store has loaded it within the key's reach. A request sees one
 * revision of each store, because it loads each configuration once.
 */
export function menuLoaders(query: Query, metadata: MetadataStorage) {
  const configurations = new DataLoader<Store, Configuration, string>(
    async stores => {
      const storeIds = stores.map(store => store.id);
      const byId = await readConfigurations(query, metadata, storeIds);
      return stores.map(store => byId.get(store.id) ?? new Error(`Store ${store.id} is gone`));
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
      /** What this request has just written is what it goes on to see. */
      prime(store: Store, configuration: Configuration): void {
        configurations.clear(store).prime(store, configuration);
        loaded.set(store.id, Promise.resolve(configuration));
      },
    },
    /** That of the configuration, where a query asks for both: the store's row was read at another moment. */
    async revisionOf(store: Store): Promise<number> {
      // Until the fields beside this one have asked for the configuration.
      await null;
      return (await loaded.get(store.id))?.revision ?? store.menuRevision;
    },
  };
}
