import { prepared, type Query } from '../database/query.ts';

const statement = prepared(`
  select distinct unnest(origins) as origin from api_key
  where publishable and revoked_at is null and (expires_at is null or expires_at > now())`);

/** The origins of all valid publishable keys, read again when they are needed after the TTL of the key cache. */
export class KeyOrigins {
  readonly #query: Query;
  readonly #ttlMs: number;
  #origins: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(query: Query, ttlSeconds: number) {
    this.#query = query;
    this.#ttlMs = ttlSeconds * 1_000;
  }

  has(origin: string): boolean | Promise<boolean> {
    if (performance.now() - this.#readAt < this.#ttlMs) return this.#origins.has(origin);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading.then(() => this.#origins.has(origin));
  }

  async #read(): Promise<void> {
    const startedAt = performance.now();
    const rows = await this.#query<{ readonly origin: string }>(statement, []);
    this.#origins = new Set(rows.map(({ origin }) => origin));
    this.#readAt = startedAt;
  }
}
