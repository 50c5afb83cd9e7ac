-- order_count has the number of orders of each store, UTC day and status, and with the day "infinity" that of all days. order_revision grows with
-- every change to the orders of a store (docs/operating.md#orders).

-- Every statement first locks the revision rows of its stores, in the order of their ids, until its transaction ends. So writers of one store are
-- serialized: counters need no lock order of their own, and a visible revision means that its transaction and all before it have committed.
create or replace function keep_order_counts() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'INSERT' then
    insert into order_revision as kept (store_id, revision)
      select store_id, 1 from new_rows group by store_id order by store_id
      on conflict (store_id) do update set revision = kept.revision + 1;
    insert into order_count as kept (store_id, day, status, n)
      select store_id, coalesce(day, 'infinity'), status, count(*)
      from (select *, (created_at at time zone 'UTC')::date as day from new_rows) dated
      group by grouping sets ((store_id, day, status), (store_id, status)) having count(*) <> 0
      on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
  elsif tg_op = 'UPDATE' then
    insert into order_revision as kept (store_id, revision)
      select store_id, 1 from (select store_id from new_rows union select store_id from old_rows) both_sides
      order by store_id
      on conflict (store_id) do update set revision = kept.revision + 1;
    insert into order_count as kept (store_id, day, status, n)
      select store_id, coalesce(day, 'infinity'), status, sum(change)
      from (select *, (created_at at time zone 'UTC')::date as day from (
        select store_id, created_at, status, 1 as change from new_rows
        union all
        select store_id, created_at, status, -1 from old_rows
      ) both_sides) dated
      group by grouping sets ((store_id, day, status), (store_id, status)) having sum(change) <> 0
      on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
  elsif tg_op = 'DELETE' then
    insert into order_revision as kept (store_id, revision)
      select store_id, 1 from old_rows group by store_id order by store_id
      on conflict (store_id) do update set revision = kept.revision + 1;
    insert into order_count as kept (store_id, day, status, n)
      select store_id, coalesce(day, 'infinity'), status, -count(*)
      from (select *, (created_at at time zone 'UTC')::date as day from old_rows) dated
      group by grouping sets ((store_id, day, status), (store_id, status)) having -count(*) <> 0
      on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
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
create or replace trigger orders_inserted after insert on orders
  referencing new table as new_rows for each statement execute function keep_order_counts();
create or replace trigger orders_updated after update on orders
  referencing old table as old_rows new table as new_rows for each statement execute function keep_order_counts();
create or replace trigger orders_deleted after delete on orders
  referencing old table as old_rows for each statement execute function keep_order_counts();
create or replace trigger orders_truncated after truncate on orders for each statement execute function keep_order_counts();

-- Orders include their store's name, external id and creation time, and its currency, which may be that of the country, so a change to these is a
-- change to the orders. The revision of a store without orders also grows: its first order may be in an open transaction.
create or replace function revise_orders_of_store() returns trigger language plpgsql set search_path from current as $$
begin
  insert into order_revision as kept (store_id, revision)
    select id, 1 from old_rows join new_rows using (id)
    where (old_rows.name::text, old_rows.created_at, old_rows.external_id, old_rows.country, old_rows.currency)
      is distinct from (new_rows.name::text, new_rows.created_at, new_rows.external_id, new_rows.country, new_rows.currency)
    order by id
    on conflict (store_id) do update set revision = kept.revision + 1;
  return null;
end $$;
create or replace trigger store_shown_with_orders after update on store
  referencing old table as old_rows new table as new_rows for each statement execute function revise_orders_of_store();
