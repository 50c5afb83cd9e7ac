import { LRUCache } from 'lru-cache';

/** In characters of keys. */
const maxSize = 2 * 1024 * 1024;

/**
 * Requests that were sent before, of which the response was the same the last time: those whose revision is worth reading before they are executed, and
 * their response worth keeping. One that names the current time, and a list that changes from request to request, are executed as if there were no cache.
 */
export class RepeatedRequests {
  readonly #revisions = new LRUCache<string, string>({
    maxSize,
    sizeCalculation: (_revision, key) => key.length + 100,
  });

  /** Whether it was sent before; remembers that it is. */
  isRepeated(key: string): boolean {
    if (this.#revisions.has(key)) return true;
    this.#revisions.set(key, '');
    return false;
  }

  /** Whether the response has not changed since the last request. */
  isUnchanged(key: string, revision: string): boolean {
    const last = this.#revisions.get(key);
    const isUnchanged = last === '' || last === revision;
    if (isUnchanged) this.#revisions.set(key, revision);
    else this.forget(key);
    return isUnchanged;
  }

  forget(key: string): void {
    this.#revisions.delete(key);
  }
}
