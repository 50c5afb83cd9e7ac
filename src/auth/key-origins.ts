import { prepared, type Query } from '../database/query.ts';
import { shareRun } from '../scheduling/batch-schedule.ts';

const statement = prepared(`
  select distinct unnest(origins) as origin from api_key
  where publishable and revoked_at is null and (expires_at is null or expires_at > now())`);

export type KeyOrigins = ReturnType<typeof createKeyOrigins>;

/** The origins of all valid publishable keys, read again when they are needed after the TTL of the key cache. */
export function createKeyOrigins(query: Query, ttlSeconds: number) {
  let origins: ReadonlySet<string> = new Set();
  let readAt = Number.NEGATIVE_INFINITY;
  const read = shareRun(async () => {
    const startedAt = performance.now();
    const rows = await query<{ readonly origin: string }>(statement, []);
    origins = new Set(rows.map(({ origin }) => origin));
    readAt = startedAt;
  });
  return {
    has(origin: string): boolean | Promise<boolean> {
      if (performance.now() - readAt < ttlSeconds * 1_000) return origins.has(origin);
      return read().then(() => origins.has(origin));
    },
  };
}
