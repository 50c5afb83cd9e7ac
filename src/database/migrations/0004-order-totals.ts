import { Migration } from '@mikro-orm/migrations';

/**
 * Adds counters over all days, with the day `infinity`, beside those of each day, so that the cost of counting all orders of a
 * store does not grow with the number of days.
 */
export class OrderTotalsMigration extends Migration {
  override up(): void {
    this.addSql(keepCounts);
    this.addSql(presentOrders);
  }
}

const counters = (n: string, rows: string) => `
  insert into order_count as kept (store_id, day, status, n)
    select store_id, coalesce(day, 'infinity'), status, ${n}
    from (select *, (created_at at time zone 'UTC')::date as day from ${rows}) dated
    group by grouping sets ((store_id, day, status), (store_id, status)) having ${n} <> 0
    on conflict (store_id, day, status) do update set n = kept.n + excluded.n;`;

const keepCounts = `
  create or replace function keep_order_counts() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op = 'INSERT' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from new_rows group by store_id order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
      ${counters('count(*)', 'new_rows')}
    elsif tg_op = 'UPDATE' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from (select store_id from new_rows union select store_id from old_rows) both_sides
        order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
      ${counters(
        'sum(change)',
        `(
          select store_id, created_at, status, 1 as change from new_rows
          union all
          select store_id, created_at, status, -1 from old_rows
        ) both_sides`,
      )}
    elsif tg_op = 'DELETE' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from old_rows group by store_id order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
      ${counters('-count(*)', 'old_rows')}
      delete from order_count using (
        select distinct store_id, (created_at at time zone 'UTC')::date as day from old_rows
      ) emptied
      where order_count.store_id = emptied.store_id and order_count.day in (emptied.day, 'infinity')
        and order_count.n = 0;
    elsif tg_op = 'TRUNCATE' then
      perform from order_revision order by store_id for update;
      update order_revision set revision = revision + 1;
      delete from order_count;
    end if;
    return null;
  end $$;
`;

const presentOrders = `
  insert into order_count (store_id, day, status, n)
    select store_id, 'infinity', status, sum(n) from order_count group by 1, 3;
`;
