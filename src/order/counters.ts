import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/** A counter that says something else than the orders do. */
export interface CounterDifference {
  readonly storeId: string;
  /** A day of UTC, e.g. `2026-03-01`; `infinity` is all of them. */
  readonly day: string;
  readonly status: string;
  readonly kept: number;
  readonly actual: number;
}

const differences = `
  select store_id, day, status, coalesce(kept.n, 0) as kept, coalesce(actual.n, 0) as actual
  from order_count kept
  full join (
    select store_id, coalesce(day, 'infinity') as day, status, count(*) as n
    from (select store_id, (created_at at time zone 'UTC')::date as day, status from orders) dated
    group by grouping sets ((store_id, day, status), (store_id, status))
  ) actual using (store_id, day, status)
  where coalesce(kept.n, 0) <> coalesce(actual.n, 0)`;

const listed = `
  select store_id as "storeId", day::text, status, kept::float8, actual::float8 from difference order by 1, 2, 3`;

const mending = `
  with difference as materialized (${differences}),
  revised as (
    insert into order_revision as kept (store_id, revision)
    select distinct store_id, 1 from difference order by store_id
    on conflict (store_id) do update set revision = kept.revision + 1
  ),
  mended as (
    insert into order_count (store_id, day, status, n) select store_id, day, status, actual from difference
    on conflict (store_id, day, status) do update set n = excluded.n
  )
  ${listed}`;

/** The counters that are wrong: none, unless orders were written while their triggers were off. */
export async function verifyCounters(em: EntityManager): Promise<CounterDifference[]> {
  return run(em, `with difference as (${differences}) ${listed}`);
}

/** Puts right the counters that are wrong, and says which they were. Readers go on; writers of orders wait. */
export async function rebuildCounters(em: EntityManager): Promise<CounterDifference[]> {
  return em.transactional(async locked => {
    await run(locked, 'lock table orders in share row exclusive mode');
    const mended = await run(locked, mending);
    await run(locked, 'delete from order_count where n = 0');
    return mended;
  });
}

async function run(em: EntityManager, sql: string): Promise<CounterDifference[]> {
  const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(sql) as CompiledQuery<CounterDifference>);
  return rows;
}
