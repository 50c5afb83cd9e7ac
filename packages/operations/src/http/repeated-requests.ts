import { LRUCache } from 'lru-cache';

/** In characters of keys and revisions. */
const maxSize = 2 * 1024 * 1024;

interface Observed {
  readonly revision: string;
  /** Whether the response before had the same. */
  readonly isUnchanged: boolean;
}

/**
 * The revisions of the last responses to requests, which tell whose revision is worth reading before they are executed, and whose response worth
 * keeping. A request that names the current time, and a list that changes all the time, are executed as if there were no cache.
 */
export class RepeatedRequests {
  readonly #observed = new LRUCache<string, Observed>({
    maxSize,
    sizeCalculation: ({ revision }, key) => key.length + revision.length + 100,
  });

  /** Whether the last two responses were the same, so that the next one may be, too. */
  isUnchanged(key: string): boolean {
    return this.#observed.get(key)?.isUnchanged ?? false;
  }

  /** Remembers the revision of a response; returns whether the response before had the same. */
  observe(key: string, revision: string): boolean {
    const isUnchanged = this.#observed.get(key)?.revision === revision;
    this.#observed.set(key, { revision, isUnchanged });
    return isUnchanged;
  }
}
