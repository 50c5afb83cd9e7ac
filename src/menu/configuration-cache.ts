import { LRUCache } from 'lru-cache';
import type { Configuration } from './configuration.ts';

/** The last configuration that was read of each store; whoever takes one compares its revision with the store's first. */
export interface ConfigurationCache {
  get(storeId: string): Configuration | undefined;
  /** `length` is the number of characters of its JSON. */
  set(configuration: Configuration, length: number): void;
}

/** Characters of JSON. A linked configuration takes about two bytes of heap for each, so some 60 MB in all, or 80,000 entities. */
const maxSize = 32 * 1024 * 1024;
/** Counted for every configuration, so that very many empty ones are bounded, too. */
const sizeOfEmpty = 1000;

export function createConfigurationCache(): ConfigurationCache {
  const cache = new LRUCache<string, Configuration>({ maxSize });
  return {
    get: storeId => cache.get(storeId),
    set: (configuration, length) =>
      void cache.set(configuration.storeId, configuration, { size: sizeOfEmpty + length }),
  };
}
