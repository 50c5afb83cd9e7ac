-- Events get into the log (event) in one order that all readers see, each with a position that never repeats; what is deleted from it moves the start
-- of the log, and is counted on the webhooks that did not get it (docs/decisions/0015-event-log.md).

-- Moves the events of transactions that a snapshot did not show, if they have been committed, and returns the snapshot to call it with the next time;
-- nothing while another transaction is at it. Snapshots only save reading deleted rows: one of the future, as after a failover, is ignored, and
-- '1:1:' stands for none. The statement that moves has begun under the lock, so that it sees what was moved before.
-- Where more events wait than fit into a batch, half of it is for stores that are not in the other half, so that they do not wait for all events of
-- another one. Of the clocks of the database and of the caller, the one that is behind counts: a single one that runs ahead moves no position.
create or replace function sequence_events(
  seen pg_snapshot, max_events int, clock timestamptz default null, out moved int, out next_seen pg_snapshot
) language plpgsql set search_path from current set enable_seqscan = off set jit = off as $$
declare
  last_position bigint;
begin
  if not pg_try_advisory_xact_lock(7274922) then return; end if;
  next_seen := pg_current_snapshot();
  if pg_snapshot_xmax(seen) > pg_snapshot_xmax(next_seen) then seen := '1:1:'; end if;
  clock := least(clock_timestamp(), clock + interval '1 minute');
  select greatest(last_value, (extract(epoch from clock) * 1000000)::bigint) into last_position from event_position;
  with waiting as materialized (
    select ctid as place, id, store_id from event_inbox
    where xid >= pg_snapshot_xmax(seen) or xid = any (array(select pg_snapshot_xip(seen)))
  ), oldest as materialized (
    select * from waiting order by id limit max_events - max_events / 2
  ), others as (
    select place from waiting where id > (select max(id) from oldest)
    order by store_id in (select store_id from oldest), id limit max_events / 2
  ), taken as (
    delete from event_inbox where ctid = any (array(select place from oldest union all select place from others))
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
-- As it was in 0.2.0, whose processes find the one above as well.
drop function if exists sequence_events(pg_snapshot, int);

-- By triggers, so that the start is right whoever deletes events. What is after the position of its queue was not delivered; without a queue, nothing
-- was.
create or replace function move_event_log_start() returns trigger language plpgsql set search_path from current as $$
declare
  deleted constant text := case tg_op when 'TRUNCATE' then 'event' else 'old_rows' end;
begin
  execute format('
    update event_log set complete_after = last.position from (select max(position) as position from %s) last
    where complete_after < last.position', deleted);
  execute format('
    with lost as (
      select w.id, count(*) as events, min(d.created_at) as first, max(d.created_at) as last
      from %s d join webhook w on w.store_id = d.store_id or w.merchant_id = d.merchant_id
      left join webhook_queue q on q.webhook_id = w.id and q.store_id = d.store_id
      where d.kind = any (w.kinds) and d.position > greatest(w.start_position, q.position) and w.removed_at is null
      group by w.id
    )
    update webhook w set lost_events = w.lost_events + lost.events, lost_from = least(w.lost_from, lost.first),
      lost_to = greatest(w.lost_to, lost.last)
    from lost where lost.id = w.id', deleted);
  return null;
end $$;
create or replace trigger event_deleted after delete on event
  referencing old table as old_rows for each statement execute function move_event_log_start();
create or replace trigger event_truncated before truncate on event for each statement execute function move_event_log_start();
