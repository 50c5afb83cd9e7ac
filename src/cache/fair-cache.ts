import { LRUCache } from 'lru-cache';
import type { Share } from '../scheduling/current-request.ts';

/** The part of a cache that the entries of all guests have at most. */
const guestPart = 1 / 4;

interface Owner<Value extends object> {
  readonly id: string;
  readonly isGuest: boolean;
  readonly entries: LRUCache<string, Value>;
}

/**
 * A bounded cache whose entries belong to callers: where there is no room, the least recently used one of whoever has most is evicted, so that nobody
 * displaces what is within the fair part of another.
 */
export class FairCache<Value extends { readonly size: number }> {
  readonly #maxSize: number;
  readonly #owners = new Map<string, Owner<Value>>();
  readonly #ownerOf = new Map<string, Owner<Value>>();
  #size = 0;
  #guestSize = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Of all values and their keys. */
  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#ownerOf.get(key)?.entries.get(key);
  }

  /** Does not count as a use. */
  peek(key: string): Value | undefined {
    return this.#ownerOf.get(key)?.entries.peek(key);
  }

  set(key: string, value: Value, { id, isGuest }: Share): void {
    const owner = this.#owners.get(id) ?? { id, isGuest, entries: this.#createEntries() };
    // Deleted first, also since lru-cache does not measure a value again that it has already.
    this.delete(key);
    this.#owners.set(id, owner);
    this.#resize(owner, entries => entries.set(key, value));
    // One that is larger than the cache was not added.
    if (owner.entries.has(key)) this.#ownerOf.set(key, owner);
    while (this.#guestSize > this.#maxSize * guestPart) this.#evictFrom(true);
    while (this.#size > this.#maxSize) this.#evictFrom(false);
  }

  delete(key: string): void {
    const owner = this.#ownerOf.get(key);
    if (owner) this.#resize(owner, entries => entries.delete(key));
  }

  #createEntries(): LRUCache<string, Value> {
    return new LRUCache({
      maxSize: this.#maxSize,
      sizeCalculation: (value, key) => value.size + key.length,
      dispose: (_value, key) => this.#ownerOf.delete(key),
    });
  }

  #evictFrom(isGuest: boolean): void {
    const owners = [...this.#owners.values()].filter(owner => owner.isGuest || !isGuest);
    const largest = owners.reduce((one, other) =>
      other.entries.calculatedSize > one.entries.calculatedSize ? other : one,
    );
    this.#resize(largest, entries => entries.pop());
  }

  #resize(owner: Owner<Value>, change: (entries: Owner<Value>['entries']) => void): void {
    const { id, isGuest, entries } = owner;
    const before = entries.calculatedSize;
    change(entries);
    const added = entries.calculatedSize - before;
    this.#size += added;
    if (isGuest) this.#guestSize += added;
    if (entries.size === 0) this.#owners.delete(id);
  }
}
