-- Every change to an order, a menu or a store has its event in event_inbox, written in the transaction of the change, whatever makes it
-- (docs/webhooks-and-events.md#the-event-log). Triggers fire in the order of their names: those of events come after those that lock the row of the
-- store in order_revision. So an id is drawn under the lock of its store, and the ids of a store are in the order of its commits.

-- A statement that changes very many orders, such as a batch of an import, writes one event for each store. For updates that begins earlier: a call
-- of markOrders may have 500 ids, and readers of events would load each order again; while a few hundred imported orders are still delivered one by
-- one. Orders that grow old (RETENTION) are anonymized and deleted without events; a guest that is erased (ERASURE) is one for each store.
-- Deleted orders are reported by store; if their store is deleted with them, its own event says so. Image comparison (*<>) also applies to json,
-- which has no equality; a full join, since its plan suits one row as well as hundreds.
create or replace function log_order_events() returns trigger language plpgsql set search_path from current as $$
declare
  max_inserted constant int := 500;
  max_updated constant int := 50;
  source constant text := current_setting('carte.change_source', true);
begin
  if source = 'RETENTION' then return null; end if;
  if tg_op = 'INSERT' then
    if (select count(*) from (select from new_rows limit max_inserted + 1) counted) <= max_inserted then
      insert into event_inbox (kind, store_id, merchant_id, order_id, status)
        select 'ORDER_PLACED', store_id, (select merchant_id from store where id = new_rows.store_id), id, status
        from new_rows order by created_at, id;
    else
      insert into event_inbox (kind, store_id, merchant_id)
        select 'ORDERS_CHANGED', id, merchant_id from store
        where id in (select store_id from new_rows) order by id;
    end if;
  elsif tg_op = 'UPDATE' then
    if source is distinct from 'ERASURE' and (select count(*) from (select from new_rows limit max_updated + 1) counted) <= max_updated then
      insert into event_inbox (kind, store_id, merchant_id, order_id, status_before, status)
        select case when o.id is null then 'ORDER_PLACED' when n.id is null then 'ORDERS_CHANGED' else 'ORDER_CHANGED' end,
          coalesce(n.store_id, o.store_id), (select merchant_id from store where id = coalesce(n.store_id, o.store_id)),
          n.id, case when n.id is not null then o.status end, n.status
        from old_rows o full join new_rows n on n.id = o.id and n.store_id = o.store_id
        where o.id is null or n.id is null or o *<> n
        order by n.created_at, n.id;
    else
      insert into event_inbox (kind, store_id, merchant_id)
        select 'ORDERS_CHANGED', id, merchant_id from store
        where id in (select store_id from new_rows union select store_id from old_rows) order by id;
    end if;
  elsif tg_op = 'DELETE' then
    insert into event_inbox (kind, store_id, merchant_id)
      select 'ORDERS_CHANGED', id, merchant_id from store
      where id in (select store_id from old_rows) order by id;
  elsif tg_op = 'TRUNCATE' then
    insert into event_inbox (kind, store_id, merchant_id)
      select 'ORDERS_CHANGED', id, merchant_id from store
      where id in (select store_id from order_revision) order by id;
  end if;
  return null;
end $$;
create or replace trigger orders_inserted_events after insert on orders
  referencing new table as new_rows for each statement execute function log_order_events();
create or replace trigger orders_updated_events after update on orders
  referencing old table as old_rows new table as new_rows for each statement execute function log_order_events();
create or replace trigger orders_deleted_events after delete on orders
  referencing old table as old_rows for each statement execute function log_order_events();
create or replace trigger orders_truncated_events after truncate on orders for each statement execute function log_order_events();

-- One statement may change the menu, how the store takes orders, its hours, other columns or several of them. jsonb can leave out the columns that
-- have events of their own, for the price of key order.
create or replace function log_store_events() returns trigger language plpgsql set search_path from current as $$
declare
  apart constant text[] := '{revision, menu_revision, ordering, guest_orders, preparation_minutes, special_hours}';
begin
  if tg_op = 'INSERT' then
    insert into event_inbox (kind, store_id, merchant_id)
      select 'STORE_CREATED', id, merchant_id from new_rows order by id;
  elsif tg_op = 'UPDATE' then
    insert into event_inbox (kind, store_id, merchant_id, menu_revision)
      select change.kind, coalesce(n.id, o.id), case when n.id is null then o.merchant_id else n.merchant_id end,
        change.menu_revision
      from old_rows o full join new_rows n on n.id = o.id
      cross join lateral (values
        (case
          when o.id is null then 'STORE_CREATED'
          when n.id is null then 'STORE_DELETED'
          when case
            when n.menu_revision = o.menu_revision and n.ordering::text is not distinct from o.ordering::text
              and (n.guest_orders, n.preparation_minutes) = (o.guest_orders, o.preparation_minutes)
              and n.special_hours::text is not distinct from o.special_hours::text then o *<> n
            else to_jsonb(o) - apart <> to_jsonb(n) - apart
          end then 'STORE_CHANGED'
        end, null::bigint),
        (case when n.menu_revision <> o.menu_revision then
          case when current_setting('carte.change_source', true) in ('STOCK', 'STOCK_UNTIL')
            then 'STOCK_CHANGED' else 'MENU_CHANGED' end
        end, n.menu_revision),
        (case when n.id = o.id and (o.ordering::text, o.guest_orders, o.preparation_minutes)
          is distinct from (n.ordering::text, n.guest_orders, n.preparation_minutes) then 'ORDERING_CHANGED' end, null),
        (case when n.id = o.id and o.special_hours::text is distinct from n.special_hours::text then 'HOURS_CHANGED' end, null)
      ) as change (kind, menu_revision)
      where change.kind is not null
      order by coalesce(n.id, o.id);
  elsif tg_op = 'DELETE' then
    insert into event_inbox (kind, store_id, merchant_id)
      select 'STORE_DELETED', id, merchant_id from old_rows order by id;
  end if;
  return null;
end $$;
create or replace trigger store_events_inserted after insert on store
  referencing new table as new_rows for each statement execute function log_store_events();
create or replace trigger store_events_updated after update on store
  referencing old table as old_rows new table as new_rows for each statement execute function log_store_events();
create or replace trigger store_events_deleted after delete on store
  referencing old table as old_rows for each statement execute function log_store_events();

-- What caches at the edge have stored for a publishable key is purged once the key is revoked, rotated or changed: its id is in place of a store's.
create or replace function log_key_event() returns trigger language plpgsql set search_path from current as $$
begin
  insert into event_inbox (kind, store_id) values ('KEY_CHANGED', old.id);
  return null;
end $$;
create or replace trigger api_key_changed after delete or update of hash, all_access, publishable, origins, expires_at, revoked_at on api_key
  for each row when (old.publishable) execute function log_key_event();
