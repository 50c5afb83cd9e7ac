import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/**
 * Has triggers write events into an inbox, from which serving processes move them into the log: so no commit waits for another one to get its
 * position, and none notifies. docs/decisions/0015-event-log.md has the reasons.
 */
export class EventInboxMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('access exclusive', 'orders'));
    this.addSql(inbox);
    this.addSql(redirect);
    this.addSql(sequence);
  }
}

// The transaction is part of the key, since the sequencer looks for those that have ended since it looked last.
const inbox = `
  create table event_inbox (
    xid xid8 not null default pg_current_xact_id(),
    id bigint not null default nextval('event_id_seq'),
    created_at timestamptz(3) not null default clock_timestamp(),
    kind text not null,
    store_id text collate "C" not null,
    merchant_id text collate "C" null,
    order_id text collate "C" null,
    status_before text null,
    status text null,
    menu_revision bigint null,
    primary key (xid, id)
  );
`;

// Triggers fire in the order of their names: those of events come after those that lock the row of the store in order_revision. An id is so drawn
// under the lock of its store, and the ids of a store are in the order of its commits. A transaction that wrote an event into the log before this
// migration, and commits after it, still gets its position from the deferred trigger of migration 0011.
const redirect = `
  do $$
  declare
    changed regprocedure;
  begin
    foreach changed in array array['log_order_events()', 'log_store_events()']::regprocedure[] loop
      execute replace(pg_get_functiondef(changed), 'insert into event (', 'insert into event_inbox (');
    end loop;
  end $$;
  alter trigger order_events_inserted on orders rename to orders_inserted_events;
  alter trigger order_events_updated on orders rename to orders_updated_events;
  alter trigger order_events_deleted on orders rename to orders_deleted_events;
  alter trigger order_events_truncated on orders rename to orders_truncated_events;
`;

// Moves the events of transactions that a snapshot did not show, if they have been committed, and returns the snapshot to call it with the next time;
// nothing while another transaction is at it. Snapshots only save reading deleted rows: one of the future, as after a failover, is ignored, and
// '1:1:' stands for none. The statement that moves has begun under the lock, so that it sees what was moved before.
const sequence = `
  create function sequence_events(seen pg_snapshot, max_events int, out moved int, out next_seen pg_snapshot)
    language plpgsql set search_path from current set enable_seqscan = off set jit = off as $$
  declare
    last_position bigint;
  begin
    if not pg_try_advisory_xact_lock(7274922) then return; end if;
    next_seen := pg_current_snapshot();
    if pg_snapshot_xmax(seen) > pg_snapshot_xmax(next_seen) then seen := '1:1:'; end if;
    select greatest(last_value, (extract(epoch from clock_timestamp()) * 1000000)::bigint) into last_position from event_position;
    with taken as (
      delete from event_inbox where ctid = any (array(
        select ctid from event_inbox
        where xid >= pg_snapshot_xmax(seen) or xid = any (array(select pg_snapshot_xip(seen)))
        order by id limit max_events
      ))
      returning *
    ), added as (
      insert into event
        (id, position, created_at, kind, store_id, merchant_id, order_id, status_before, status, menu_revision)
      select id, last_position + row_number() over (order by id), created_at, kind, store_id, merchant_id, order_id,
        status_before, status, menu_revision
      from taken
      returning position
    )
    select count(*), max(position) into moved, last_position from added;
    if moved > 0 then
      perform setval('event_position', last_position), pg_notify('carte_event', '');
    end if;
    if moved = max_events then next_seen := seen; end if;
  end $$;
`;
