import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../database/query.ts';

/** A counter that differs from the number of orders. */
export interface CounterDifference {
  readonly storeId: string;
  /** A day of UTC, e.g. `2026-03-01`; `infinity` is the total over all days. */
  readonly day: string;
  readonly status: string;
  readonly stored: number;
  readonly actual: number;
}

const differences = `
  select store_id, day, status, coalesce(stored.n, 0) as stored, coalesce(actual.n, 0) as actual
  from order_count stored
  full join (
    select store_id, coalesce(day, 'infinity') as day, status, count(*) as n
    from (select store_id, (created_at at time zone 'UTC')::date as day, status from orders) dated
    group by grouping sets ((store_id, day, status), (store_id, status))
  ) actual using (store_id, day, status)
  where coalesce(stored.n, 0) <> coalesce(actual.n, 0)`;

const listDifferences = `
  select store_id as "storeId", day::text, status, stored::float8, actual::float8 from difference order by 1, 2, 3`;

const rebuild = `
  with difference as materialized (${differences}),
  revised as (
    insert into order_revision as stored (store_id, revision)
    select distinct store_id, 1 from difference order by store_id
    on conflict (store_id) do update set revision = stored.revision + 1
  ),
  corrected as (
    insert into order_count (store_id, day, status, n) select store_id, day, status, actual from difference
    on conflict (store_id, day, status) do update set n = excluded.n
  )
  ${listDifferences}`;

/** Lists wrong counters: none, unless orders were written while the triggers were disabled. */
export async function verifyCounters(em: EntityManager): Promise<CounterDifference[]> {
  return queryIn(em)(`with difference as (${differences}) ${listDifferences}`, []);
}

/** Corrects wrong counters and returns them as they were. Blocks writers of orders, but no readers. */
export async function rebuildCounters(em: EntityManager): Promise<CounterDifference[]> {
  return em.transactional(async tx => {
    const query = queryIn(tx);
    await query('lock table orders in share row exclusive mode', []);
    const corrected = await query<CounterDifference>(rebuild, []);
    await query('delete from order_count where n = 0', []);
    return corrected;
  });
}
