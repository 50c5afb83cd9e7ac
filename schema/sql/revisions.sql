-- A revision of a store, of its menus or orders, or of a single order, is the time of its change in microseconds, or one more than the revision before: it
-- never repeats, also not after a failover, after a restored back-up, or for a store that is deleted and created again
-- (docs/decisions/0011-revisions-are-times.md).
-- The setting carte.menu_revision tells the triggers of the menu history which revision this transaction has made.
create or replace function date_menu_revision() returns trigger language plpgsql set search_path from current as $$
begin
  new.menu_revision = greatest(new.menu_revision, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  perform set_config('carte.menu_revision', new.menu_revision || ' ' || new.id, true);
  return new;
end $$;
create or replace trigger store_menu_revised before update of menu_revision on store
  for each row when (new.menu_revision > old.menu_revision) execute function date_menu_revision();

create or replace function date_order_revision() returns trigger language plpgsql set search_path from current as $$
begin
  new.revision = greatest(new.revision, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  return new;
end $$;
create or replace trigger order_revision_dated before insert or update on order_revision
  for each row execute function date_order_revision();

-- A statement that changes nothing leaves the revision of an order alone, as it has no event. Generated columns are not computed yet, and null until
-- then: they do not count.
create or replace function date_order() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.customer_name_folded = old.customer_name_folded;
    new.phone_reversed = old.phone_reversed;
    if new *= old then return new; end if;
  end if;
  new.revision = greatest(new.revision, old.revision + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  return new;
end $$;
create or replace trigger orders_dated before insert or update on orders for each row execute function date_order();

-- Menus have a revision of their own.
create or replace function date_store() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.name_folded = old.name_folded;
    old.menu_revision = new.menu_revision;
    if new *= old then return new; end if;
  end if;
  new.revision = greatest(new.revision, old.revision + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  return new;
end $$;
create or replace trigger store_dated before insert or update on store for each row execute function date_store();

create or replace function remember_menu_revision() returns trigger language plpgsql as $$
begin
  insert into deleted_store (id, menu_revision) values (old.id, old.menu_revision)
  on conflict (id) do update set menu_revision = excluded.menu_revision;
  return null;
end $$;
create or replace trigger store_deleted after delete on store for each row execute function remember_menu_revision();

create or replace function resume_menu_revision() returns trigger language plpgsql set search_path from current as $$
begin
  select greatest(menu_revision + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  into new.menu_revision from deleted_store where id = new.id;
  new.menu_revision = coalesce(new.menu_revision, 0);
  return new;
end $$;
create or replace trigger store_inserted before insert on store for each row execute function resume_menu_revision();
