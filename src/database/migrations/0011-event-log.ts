import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/**
 * Adds the log of change events. Triggers write an event in the transaction of the change, whatever makes it, and give it a position when
 * that transaction commits. docs/webhooks-and-events.md#the-event-log describes how it works.
 */
export class EventLogMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('share row exclusive', 'orders', 'store'));
    this.addSql(tables);
    this.addSql(positions);
    this.addSql(start);
    this.addSql(orderEvents);
    this.addSql(storeEvents);
  }
}

const microseconds = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

// Without foreign keys: an event outlives its order and its store. An event without a position is invisible to all but its own
// transaction, so the indexes leave it out, and it costs them nothing until it has one.
const tables = `
  create table event (
    id bigserial primary key,
    position bigint null,
    created_at timestamptz(3) not null default clock_timestamp(),
    kind text not null,
    store_id text collate "C" not null,
    merchant_id text collate "C" null,
    order_id text collate "C" null,
    status_before text null,
    status text null,
    menu_revision bigint null
  );
  create unique index event_by_position on event (position) where position is not null;
  create index event_by_store on event (store_id, position) where position is not null;
  create index event_of_stores on event (position)
    where position is not null and kind in ('STORE_CREATED', 'STORE_CHANGED', 'STORE_DELETED');
  create table event_log (
    id int not null,
    complete_after bigint not null,
    primary key (id)
  );
`;

// Transactions commit in another order than they write. So positions are given by a trigger that runs at the commit, under a lock that
// is released only after the commit is visible: a reader that sees a position sees all before it. No transaction holds the lock for
// longer than its commit takes. A position is a time, so that a promoted standby does not repeat one (docs/decisions/0011).
const positions = `
  create sequence event_position;
  create function position_event() returns trigger language plpgsql set search_path from current as $$
  begin
    perform pg_advisory_xact_lock(7274922);
    update event set position = setval('event_position', greatest(nextval('event_position'), ${microseconds}))
      where id = new.id;
    perform pg_notify('carte_event', '');
    return null;
  end $$;
  create constraint trigger event_positioned after insert on event deferrable initially deferred
    for each row when (new.position is null) execute function position_event();
`;

// Every event after this position is kept: by a trigger, so that it is right whoever deletes events.
const start = `
  insert into event_log (id, complete_after) values (1, setval('event_position', ${microseconds}));
  create function move_event_log_start() returns trigger language plpgsql set search_path from current as $$
  declare
    last_deleted bigint;
  begin
    if tg_op = 'TRUNCATE' then
      select max(position) into last_deleted from event;
    else
      select max(position) into last_deleted from old_rows;
    end if;
    update event_log set complete_after = last_deleted where complete_after < last_deleted;
    return null;
  end $$;
  create trigger event_deleted after delete on event
    referencing old table as old_rows for each statement execute function move_event_log_start();
  create trigger event_truncated before truncate on event for each statement execute function move_event_log_start();
`;

const merchantOf = (store: string) => `(select merchant_id from store where id = ${store})`;

/** One event for each of some stores, instead of one for each order. */
const ordersOf = (stores: string) => `
  insert into event (kind, store_id, merchant_id)
    select 'ORDERS_CHANGED', id, merchant_id from store where id in (${stores}) order by id;`;

// A statement that changes very many orders, such as a batch of an import, writes one event for each store. Deleted orders are reported
// in the same way; if their store is deleted with them, its own event says so. Image comparison (*<>) also applies to json, which has
// no equality; a full join, since its plan suits one row as well as hundreds.
const orderEvents = `
  create function log_order_events() returns trigger language plpgsql set search_path from current as $$
  declare
    max_events constant int := 500;
  begin
    if tg_op = 'INSERT' then
      if (select count(*) from (select from new_rows limit max_events + 1) counted) <= max_events then
        insert into event (kind, store_id, merchant_id, order_id, status)
          select 'ORDER_PLACED', store_id, ${merchantOf('new_rows.store_id')}, id, status
          from new_rows order by created_at, id;
      else
        ${ordersOf('select store_id from new_rows')}
      end if;
    elsif tg_op = 'UPDATE' then
      if (select count(*) from (select from new_rows limit max_events + 1) counted) <= max_events then
        insert into event (kind, store_id, merchant_id, order_id, status_before, status)
          select case when o.id is null then 'ORDER_PLACED' when n.id is null then 'ORDERS_CHANGED' else 'ORDER_CHANGED' end,
            coalesce(n.store_id, o.store_id), ${merchantOf('coalesce(n.store_id, o.store_id)')},
            n.id, case when n.id is not null then o.status end, n.status
          from old_rows o full join new_rows n on n.id = o.id and n.store_id = o.store_id
          where o.id is null or n.id is null or o *<> n
          order by n.created_at, n.id;
      else
        ${ordersOf('select store_id from new_rows union select store_id from old_rows')}
      end if;
    elsif tg_op = 'DELETE' then
      ${ordersOf('select store_id from old_rows')}
    elsif tg_op = 'TRUNCATE' then
      ${ordersOf('select store_id from order_revision')}
    end if;
    return null;
  end $$;
  create trigger order_events_inserted after insert on orders
    referencing new table as new_rows for each statement execute function log_order_events();
  create trigger order_events_updated after update on orders
    referencing old table as old_rows new table as new_rows for each statement execute function log_order_events();
  create trigger order_events_deleted after delete on orders
    referencing old table as old_rows for each statement execute function log_order_events();
  create trigger order_events_truncated after truncate on orders for each statement execute function log_order_events();
`;

// One statement may change the menu, other columns or both. \`jsonb\` can leave out the revision, for the price of key order.
const storeEvents = `
  create function log_store_events() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op = 'INSERT' then
      insert into event (kind, store_id, merchant_id)
        select 'STORE_CREATED', id, merchant_id from new_rows order by id;
    elsif tg_op = 'UPDATE' then
      insert into event (kind, store_id, merchant_id, menu_revision)
        select change.kind, coalesce(n.id, o.id), case when n.id is null then o.merchant_id else n.merchant_id end,
          change.menu_revision
        from old_rows o full join new_rows n on n.id = o.id
        cross join lateral (values
          (case
            when o.id is null then 'STORE_CREATED'
            when n.id is null then 'STORE_DELETED'
            when case
              when n.menu_revision = o.menu_revision then o *<> n
              else to_jsonb(o) - 'menu_revision' <> to_jsonb(n) - 'menu_revision'
            end then 'STORE_CHANGED'
          end, null::bigint),
          (case when n.menu_revision <> o.menu_revision then
            case current_setting('carte.change_source', true) when 'STOCK' then 'STOCK_CHANGED' else 'MENU_CHANGED' end
          end, n.menu_revision)
        ) as change (kind, menu_revision)
        where change.kind is not null
        order by coalesce(n.id, o.id);
    elsif tg_op = 'DELETE' then
      insert into event (kind, store_id, merchant_id)
        select 'STORE_DELETED', id, merchant_id from old_rows order by id;
    end if;
    return null;
  end $$;
  create trigger store_events_inserted after insert on store
    referencing new table as new_rows for each statement execute function log_store_events();
  create trigger store_events_updated after update on store
    referencing old table as old_rows new table as new_rows for each statement execute function log_store_events();
  create trigger store_events_deleted after delete on store
    referencing old table as old_rows for each statement execute function log_store_events();
`;
