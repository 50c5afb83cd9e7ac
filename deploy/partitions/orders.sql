-- Splits the orders by time, that is by their ids, which begin with it. What is there becomes the part for everything
-- that has no part of its own. Nothing is copied; it takes moments, in which nobody reads or writes orders:
--   psql --single-transaction --set=ON_ERROR_STOP=1 --file=deploy/partitions/orders.sql "$DATABASE_URL"
do $$
declare
  definitions text[];
  definition text;
  index_name text;
  trigger_name text;
begin
  select array_agg(statement) into definitions from (
    select format('alter table orders add constraint %I %s', conname, pg_get_constraintdef(oid)) as statement
    from pg_constraint where conrelid = 'orders'::regclass and contype in ('p', 'u', 'f')
    union all
    select pg_get_indexdef(indexrelid) from pg_index
    where indrelid = 'orders'::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'orders'::regclass and not tgisinternal
  ) made_again;

  alter table orders rename to orders_before;
  for index_name in select indexrelid::regclass::text from pg_index where indrelid = 'orders_before'::regclass loop
    execute format('alter index %I rename to %I', index_name, replace(index_name, 'orders', 'orders_before'));
  end loop;
  -- A trigger for each row of the whole is one of each part, too.
  for trigger_name in select tgname from pg_trigger where tgrelid = 'orders_before'::regclass and tgtype & 1 = 1 and not tgisinternal loop
    execute format('drop trigger %I on orders_before', trigger_name);
  end loop;
  create table orders (like orders_before including all excluding indexes) partition by range (id);
  alter table orders attach partition orders_before default;
  -- Indexes and keys of the part that are alike become those of the whole; none is built anew.
  foreach definition in array definitions loop
    execute definition;
  end loop;
end $$;

-- The least text that an id of that time can be.
create function order_ids_from(instant timestamptz) returns text immutable language sql as $$
  select overlay(lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
$$;

-- Gives times to come a part for each quarter, or for so many months each; a part that is there is left alone. Answers
-- how many were made.
create function add_order_parts(first_month date, parts int, months int default 3) returns int language plpgsql as $$
declare
  begins timestamptz;
  part text;
  made int := 0;
begin
  for number in 0 .. parts - 1 loop
    begins := (date_trunc('month', first_month) + number * months * interval '1 month') at time zone 'UTC';
    part := 'orders_' || to_char(begins at time zone 'UTC', 'YYYY_MM');
    continue when to_regclass(part) is not null;
    execute format('create table %I partition of orders for values from (%L) to (%L)', part, order_ids_from(begins),
      order_ids_from((begins at time zone 'UTC' + months * interval '1 month') at time zone 'UTC'));
    made := made + 1;
  end loop;
  return made;
end $$;
