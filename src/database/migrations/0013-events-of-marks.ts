import { Migration } from '@mikro-orm/migrations';

/**
 * Lowers the number of updated orders from which on a statement writes one event for each store: a call of `markOrders` may have 500 ids, and
 * readers of events would load each order again.
 */
export class EventsOfMarksMigration extends Migration {
  override up(): void {
    this.addSql(orderEvents);
  }
}

const merchantOf = (store: string) => `(select merchant_id from store where id = ${store})`;

/** One event for each of some stores, instead of one for each order. */
const ordersOf = (stores: string) => `
  insert into event (kind, store_id, merchant_id)
    select 'ORDERS_CHANGED', id, merchant_id from store where id in (${stores}) order by id;`;

// Inserts keep the number of before: a caller of the graph inserts one order in each statement, and an import of a few hundred new orders
// is still reported by order, so that webhooks deliver each of them. The rest is as in migration 0011, which explains it.
const orderEvents = `
  create or replace function log_order_events() returns trigger language plpgsql set search_path from current as $$
  declare
    max_inserted constant int := 500;
    max_updated constant int := 50;
  begin
    if tg_op = 'INSERT' then
      if (select count(*) from (select from new_rows limit max_inserted + 1) counted) <= max_inserted then
        insert into event (kind, store_id, merchant_id, order_id, status)
          select 'ORDER_PLACED', store_id, ${merchantOf('new_rows.store_id')}, id, status
          from new_rows order by created_at, id;
      else
        ${ordersOf('select store_id from new_rows')}
      end if;
    elsif tg_op = 'UPDATE' then
      if (select count(*) from (select from new_rows limit max_updated + 1) counted) <= max_updated then
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
`;
