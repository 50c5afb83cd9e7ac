import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/**
 * Adds how a store takes orders, its special hours, and the times at which something ends by itself. Changes of the first two have events of
 * their own; otherwise `log_store_events` is as in migration 0011, which explains it.
 */
export class StoreOrderingMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('access exclusive', 'store'));
    this.addSql(`
      alter table store add column ordering json null, add column special_hours json null;
      create table due_time (
        store_id text collate "C" not null,
        subject text not null,
        external_id text collate "C" not null,
        due_at timestamptz(3) not null,
        primary key (store_id, subject, external_id),
        constraint due_time_store_id_foreign foreign key (store_id) references store (id) on delete cascade
      );
      create index due_time_by_time on due_time (due_at);

      create or replace function log_store_events() returns trigger language plpgsql set search_path from current as $$
      declare
        apart constant text[] := '{menu_revision, ordering, special_hours}';
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
                  when n.menu_revision = o.menu_revision and n.ordering::text is not distinct from o.ordering::text
                    and n.special_hours::text is not distinct from o.special_hours::text then o *<> n
                  else to_jsonb(o) - apart <> to_jsonb(n) - apart
                end then 'STORE_CHANGED'
              end, null::bigint),
              (case when n.menu_revision <> o.menu_revision then
                case when current_setting('carte.change_source', true) in ('STOCK', 'STOCK_UNTIL')
                  then 'STOCK_CHANGED' else 'MENU_CHANGED' end
              end, n.menu_revision),
              (case when n.id = o.id and o.ordering::text is distinct from n.ordering::text then 'ORDERING_CHANGED' end, null),
              (case when n.id = o.id and o.special_hours::text is distinct from n.special_hours::text then 'HOURS_CHANGED' end, null)
            ) as change (kind, menu_revision)
            where change.kind is not null
            order by coalesce(n.id, o.id);
        elsif tg_op = 'DELETE' then
          insert into event (kind, store_id, merchant_id)
            select 'STORE_DELETED', id, merchant_id from old_rows order by id;
        end if;
        return null;
      end $$;
    `);
  }
}

/** Adds the new kinds to the index of the events of stores, which are rare. */
export class EventsOfStoresMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What an attempt that failed has left behind is not used by queries.
    this.addSql('drop index concurrently if exists event_of_store_kinds');
    this.addSql(`
      create index concurrently event_of_store_kinds on event (position) where position is not null
        and kind in ('STORE_CREATED', 'STORE_CHANGED', 'STORE_DELETED', 'ORDERING_CHANGED', 'HOURS_CHANGED')`);
    this.addSql('drop index concurrently if exists event_of_stores');
  }
}
