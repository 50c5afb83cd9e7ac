import { Migration } from '@mikro-orm/migrations';

/**
 * Adds indexes for every filter of the order list, and two tables that triggers maintain on every write to `orders`.
 * docs/operating.md#orders describes how they work and how to verify them.
 */
export class OrderSearchMigration extends Migration {
  override up(): void {
    this.addSql(columnsAndIndexes);
    this.addSql(tables);
    this.addSql(orderTriggers);
    this.addSql(storeTrigger);
    this.addSql(presentOrders);
  }
}

// Names are folded to upper case first, which alone maps `ß` to `SS`, then to lower case with one form of sigma: pg_trgm
// folds case once more by the database's own rules, and must find nothing left to change. Phone digits are truncated to
// what an index entry can hold.
const columnsAndIndexes = `
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
  alter table orders
    add column customer_name_folded text collate "C" not null
      generated always as (translate(lower(upper(customer_name collate "und-x-icu")), 'ς', 'σ')) stored,
    add column phone_reversed text collate "C" not null
      generated always as (left(reverse(regexp_replace(customer_phone, '[^0-9]', '', 'g')), 100)) stored;
  create index orders_by_time on orders (store_id, created_at desc, id desc);
  create index orders_by_status on orders (store_id, status, created_at desc, id desc);
  create index orders_by_phone on orders (store_id, phone_reversed);
  create index orders_by_name on orders using gin (store_id, customer_name_folded gin_trgm_ops);
`;

// No foreign key to `store`: deleting a store deletes its orders, and the trigger counts that too. A revision outlives its
// store, so that a store created again with the same id never repeats one.
const tables = `
  create table order_count (
    store_id text collate "C" not null,
    day date not null,
    status text not null,
    n bigint not null,
    primary key (store_id, day, status)
  );
  create table order_revision (
    store_id text collate "C" not null,
    revision bigint not null,
    primary key (store_id)
  );
`;

// Every statement first locks the revision rows of its stores, in the order of their ids, until its transaction ends. So
// writers of one store are serialized: counters need no lock order of their own, and a visible revision means that its
// transaction and all before it have committed.
const orderTriggers = `
  create function keep_order_counts() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op = 'INSERT' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from new_rows group by store_id order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
      insert into order_count as kept (store_id, day, status, n)
        select store_id, (created_at at time zone 'UTC')::date, status, count(*) from new_rows group by 1, 2, 3
        on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
    elsif tg_op = 'UPDATE' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from (select store_id from new_rows union select store_id from old_rows) both_sides
        order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
      insert into order_count as kept (store_id, day, status, n)
        select store_id, (created_at at time zone 'UTC')::date, status, sum(change)
        from (
          select store_id, created_at, status, 1 as change from new_rows
          union all
          select store_id, created_at, status, -1 from old_rows
        ) both_sides
        group by 1, 2, 3 having sum(change) <> 0
        on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
    elsif tg_op = 'DELETE' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from old_rows group by store_id order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
      insert into order_count as kept (store_id, day, status, n)
        select store_id, (created_at at time zone 'UTC')::date, status, -count(*) from old_rows group by 1, 2, 3
        on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
      delete from order_count using (
        select distinct store_id, (created_at at time zone 'UTC')::date as day from old_rows
      ) emptied
      where order_count.store_id = emptied.store_id and order_count.day = emptied.day and order_count.n = 0;
    elsif tg_op = 'TRUNCATE' then
      perform from order_revision order by store_id for update;
      update order_revision set revision = revision + 1;
      delete from order_count;
    end if;
    return null;
  end $$;
  create trigger orders_inserted after insert on orders
    referencing new table as new_rows for each statement execute function keep_order_counts();
  create trigger orders_updated after update on orders
    referencing old table as old_rows new table as new_rows for each statement execute function keep_order_counts();
  create trigger orders_deleted after delete on orders
    referencing old table as old_rows for each statement execute function keep_order_counts();
  create trigger orders_truncated after truncate on orders for each statement execute function keep_order_counts();
`;

// Orders include their store's name, external id and creation time, so a change to these is a change to the orders. The
// revision of a store without orders also grows: its first order may be in an open transaction.
const storeTrigger = `
  create function revise_orders_of_store() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into order_revision as kept (store_id, revision)
      select id, 1 from old_rows join new_rows using (id)
      where (old_rows.name::text, old_rows.created_at, old_rows.external_id)
        is distinct from (new_rows.name::text, new_rows.created_at, new_rows.external_id)
      order by id
      on conflict (store_id) do update set revision = kept.revision + 1;
    return null;
  end $$;
  create trigger store_shown_with_orders after update on store
    referencing old table as old_rows new table as new_rows for each statement execute function revise_orders_of_store();
`;

const presentOrders = `
  insert into order_count (store_id, day, status, n)
    select store_id, (created_at at time zone 'UTC')::date, status, count(*) from orders group by 1, 2, 3;
  insert into order_revision (store_id, revision) select store_id, 1 from orders group by store_id;
`;
