import type { DeduplicatedBuffer } from '../execution/json-writer.ts';
import type { Encoding } from './compression.ts';

export interface RenderedResponse {
  /** The ETag of the body before it is compressed. */
  readonly revision: string;
  readonly bytes: Buffer;
}

/** A response body, compressed once per encoding on first use. */
export interface CachedResponse extends RenderedResponse {
  /** Of all representations, in bytes. */
  readonly size: number;
  /** What is not compressed yet is when it is the turn of the caller, by `run`. */
  encoded(encoding: Encoding, run: <T>(task: () => Promise<T>) => Promise<T>): Promise<Buffer>;
}

/** A body in a form that takes less memory than its bytes. */
export type CompactBody = Pick<DeduplicatedBuffer, 'size' | 'toBuffer'>;

/** Keeps responses by key, one revision each. */
export interface ResponseCache {
  /** Whether there is a response, of whatever revision. */
  has(key: string): boolean;
  /**
   * Observes the revision of a response that is kept only if the one before it had the same, and returns whether it had. So a request that names the
   * current time, and a list that changes all the time, are executed as if there were no cache.
   */
  observe(key: string, revision: string): boolean;
  /** Finds a response with this revision, or renders it when it is the turn of the caller, by `run`. */
  get(
    key: string,
    revision: string,
    render: () => Promise<RenderedResponse>,
    run?: <T>(task: () => Promise<T>) => Promise<T>,
  ): CachedResponse | Promise<CachedResponse>;
  /** Keeps a response that nobody has asked for yet. */
  prime(key: string, revision: string, compact: CompactBody): void;
}
