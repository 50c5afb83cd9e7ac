import type { EntityManager } from '@mikro-orm/postgresql';
import { advisoryLocks } from '../database/advisory-locks.ts';
import { runBatches } from '../database/batches.ts';
import { type Query, queryIn } from '../database/query.ts';
import { ageFrom, isAnonymized } from './entities.ts';
import { anonymized, batchSize } from './guest-data.ts';

/** The ages in days from which orders are anonymized, and deleted; never if undefined. */
export interface OrderRetention {
  readonly anonymizeDays?: number | undefined;
  readonly keepDays?: number | undefined;
}

interface RunOptions {
  readonly size?: number;
  readonly clock?: Date;
  readonly signal?: AbortSignal;
}

/** Nobody waits for it. */
const pauses = 3;

/** Of the clocks of the database and of this process the one that is behind counts, so that a single one that is ahead changes nothing. */
const isOld = `${ageFrom} < least(now(), $2::timestamptz) - make_interval(days => $1)`;

/** Without events: orders of months ago concern nobody who waits for them. Nothing while another process is at it. */
const turn = `
  turn as materialized (
    select set_config('carte.change_source', 'RETENTION', true)
    from (select pg_try_advisory_xact_lock(${advisoryLocks.orderRetention}) as is_ours) lock where is_ours
  )`;

const batchOf = (table: string, state: 0 | 1) => `
  batch as materialized (
    select id from ${table} where ${isAnonymized} = ${state} and ${isOld}
    order by ${ageFrom} limit $3 for update skip locked
  )`;

const inBatch = 'where id = any(array(select id from batch, turn order by id)) returning 1';

const anonymizeStatement = `with ${turn}, ${batchOf('orders', 0)} update orders set ${anonymized} ${inBatch}`;

const deleteStatement = (table: string, state: 0 | 1) =>
  `with ${turn}, ${batchOf(table, state)} delete from orders ${inBatch}`;

/** Anonymizes and deletes old orders, in batches with a transaction each; returns how many. */
export async function applyOrderRetention(
  em: EntityManager,
  { anonymizeDays, keepDays }: OrderRetention,
  { size = batchSize, clock = new Date(), signal }: RunOptions = {},
): Promise<{ anonymized: number; deleted: number }> {
  const query = queryIn(em);
  const run = (statement: string, days: number) =>
    runBatches(async () => (await query(statement, [days, clock, size])).length, { size, pauses, signal });
  let deleted = 0;
  let anonymized = 0;
  try {
    if (keepDays !== undefined) {
      for (const part of await findParts(query)) {
        if (part.isDefault) {
          deleted += await run(deleteStatement(part.name, 0), keepDays);
          deleted += await run(deleteStatement(part.name, 1), keepDays);
        } else {
          deleted += await dropIfOld(em, part.name, [keepDays, clock]);
        }
      }
    }
  } finally {
    // Also if a partition could not be locked.
    if (anonymizeDays !== undefined) anonymized = await run(anonymizeStatement, anonymizeDays);
  }
  return { deleted, anonymized };
}

interface Part {
  readonly name: string;
  /** Whether orders are deleted one by one: the part for all ids that have none of their own, or a table without parts. */
  readonly isDefault: boolean;
}

const findParts = (query: Query): Promise<Part[]> =>
  query(
    `select oid::regclass::text as name, coalesce(pg_get_expr(relpartbound, oid) = 'DEFAULT', true) as "isDefault" from pg_class
     where oid = 'orders'::regclass and relkind = 'r' or oid in (select relid from pg_partition_tree('orders') where isleaf)
     order by 2 desc, relname`,
    [],
  );

/** Drops a partition in which all orders are old, and returns how many there were. */
async function dropIfOld(
  em: EntityManager,
  part: string,
  values: readonly [days: number, clock: Date],
): Promise<number> {
  const query = queryIn(em);
  // The index finds the youngest on either side. Null for an empty one, such as those of times to come.
  const readState = async () => {
    const [state] = await query<{ isOld: boolean | null; thawsAt: Date }>(
      `select bool_and(${isOld}) as "isOld", now() + interval '1 hour' as "thawsAt" from (
         (select * from ${part} where ${isAnonymized} = 0 order by ${ageFrom} desc limit 1) union all
         (select * from ${part} where ${isAnonymized} = 1 order by ${ageFrom} desc limit 1)
       ) youngest`,
      values,
    );
    return state?.isOld ? state.thawsAt.toISOString() : undefined;
  };
  const thawsAt = await readState();
  if (thawsAt === undefined) return 0;
  const limitWait = "select set_config('lock_timeout', '200ms', true)";
  // Nothing changes these orders from now on, so that they can be counted while the others are written; only what empties them does. Not for ever,
  // since this may not come to its end.
  const isFrozen = `now() < '${thawsAt}' and coalesce(current_setting('carte.change_source', true), '') not in ('RETENTION', 'ERASURE')`;
  await em.transactional(async tx => {
    await queryIn(tx)(limitWait, []);
    await queryIn(tx)(
      `create or replace trigger orders_frozen before insert or update or delete on ${part}
       for each row when (${isFrozen}) execute function skip_row()`,
      [],
    );
  });
  // A younger one may have been the last to come.
  if ((await readState()) === undefined) return 0;
  const [counted] = await query<{ counts: string; orders: number }>(
    `select coalesce(sum(n), 0)::int as orders, coalesce(json_agg(c), '[]')::text as counts from (
       select store_id, (created_at at time zone 'UTC')::date as day, status, count(*) as n from ${part} group by 1, 2, 3
     ) c`,
    [],
  );
  return em.transactional(async tx => {
    await queryIn(tx)(limitWait, []);
    await queryIn(tx)('lock table orders in access exclusive mode', []);
    // Another process may have been faster.
    const [found] = await queryIn(tx)('select where to_regclass($1) is not null and now() < $2', [part, thawsAt]);
    if (!found) return 0;
    await queryIn(tx)(`drop table ${part}`, []);
    await queryIn(tx)(subtractStatement, [counted?.counts]);
    return counted?.orders ?? 0;
  });
}

// Rows that become 0 are deleted, as the triggers do.
const subtractStatement = `
  with counted as materialized (
    select * from json_to_recordset($1::json) as counted (store_id text, day date, status text, n bigint)
  ),
  dropped as materialized (
    select store_id, coalesce(day, 'infinity') as day, status, sum(n) as n from counted
    group by grouping sets ((store_id, day, status), (store_id, status))
  ),
  revised as (
    update order_revision set revision = revision + 1 where store_id in (select store_id from counted)
  ),
  emptied as (
    delete from order_count kept using dropped
    where (kept.store_id, kept.day, kept.status, kept.n) = (dropped.store_id, dropped.day, dropped.status, dropped.n)
  )
  update order_count kept set n = kept.n - dropped.n from dropped
  where (kept.store_id, kept.day, kept.status) = (dropped.store_id, dropped.day, dropped.status) and kept.n <> dropped.n`;
