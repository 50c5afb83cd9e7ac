-- menu_history has how to undo each change to a menu configuration, written in the transaction that makes it and whatever makes it: a replacement,
-- setStock, a statement by hand, or a process of an earlier version. Every change belongs to a revision: a statement that does not increase
-- menu_revision itself has it increased here (docs/decisions/0014-menu-history.md).
create or replace function add_menu_change(change menu_history) returns void language plpgsql as $$
declare
  revised text = current_setting('carte.menu_revision', true);
begin
  -- The store is being deleted, and its history with it.
  if change.removed > 0 and not exists (select from store where id = change.store_id) then return; end if;
  -- Changes belong to the revision that the same transaction has made, e.g. in the same statement.
  if substr(revised, strpos(revised, ' ') + 1) = change.store_id then
    change.revision = split_part(revised, ' ', 1);
  else
    update store set menu_revision = menu_revision + 1 where id = change.store_id
    returning menu_revision into change.revision;
  end if;
  change.id = nextval('menu_history_id_seq');
  change.created_at = clock_timestamp();
  change.source = coalesce(nullif(current_setting('carte.change_source', true), ''), 'SQL');
  change.key_name = nullif(current_setting('carte.key_name', true), '');
  change.bytes = coalesce(8 * cardinality(change.inserted_ids), 0) + coalesce(octet_length(change.old_rows::text), 0)
    + coalesce(octet_length(change.old_positions::text), 0);
  insert into menu_history values (change.*);
end $$;

create or replace function record_menu_change() returns trigger language plpgsql set search_path from current as $$
declare
  change menu_history;
begin
  change.kind = tg_table_name;
  change.added = 0;
  change.changed = 0;
  change.removed = 0;
  -- A replacement fires the triggers of all tables, most of them for no row.
  if tg_op = 'INSERT' then
    if not exists (select from after) then return null; end if;
    for change.store_id, change.inserted_ids, change.added in
      select store_id, array_agg(id), count(*) from after group by store_id
    loop
      perform add_menu_change(change);
    end loop;
  elsif tg_op = 'DELETE' then
    if not exists (select from before) then return null; end if;
    for change.store_id, change.old_rows, change.removed in
      select store_id, json_agg(before), count(*) from before group by store_id
    loop
      perform add_menu_change(change);
    end loop;
  else
    if not exists (select from before) then return null; end if;
    for change.store_id, change.inserted_ids, change.old_rows, change.old_positions, change.added, change.changed, change.removed in
      select store_id,
        array_agg(id) filter (where is_new),
        json_agg(old_row) filter (where old_row is not null),
        json_agg(json_build_array(id, old_position)) filter (where old_row is null and not is_new),
        count(*) filter (where is_new),
        count(*) filter (where old_row is not null and not is_gone),
        count(*) filter (where is_gone)
      from (
        -- One entity more in front moves all others: of those that only moved, the position is enough.
        select store_id, id, b.position as old_position, b.id is null as is_new, a.id is null as is_gone,
          case when b.position = a.position or a.id is null
            or not json_populate_record(b, '{"position": 0}') *= json_populate_record(a, '{"position": 0}')
          then row_to_json(b) end as old_row
        -- By store and id, which only a statement by hand can change.
        from before b full join after a using (store_id, id)
        where a.id is null or b.id is null or not b *= a
      ) differences
      group by store_id
    loop
      perform add_menu_change(change);
    end loop;
  end if;
  return null;
end $$;

-- A truncation has no transition table.
create or replace function record_menu_truncation() returns trigger language plpgsql set search_path from current as $$
begin
  execute format('delete from %I', tg_table_name);
  return null;
end $$;

create or replace trigger menu_insert_recorded after insert on menu
  referencing new table as after for each statement execute function record_menu_change();
create or replace trigger menu_update_recorded after update on menu
  referencing old table as before new table as after for each statement execute function record_menu_change();
create or replace trigger menu_delete_recorded after delete on menu
  referencing old table as before for each statement execute function record_menu_change();
create or replace trigger menu_truncate_recorded before truncate on menu
  for each statement execute function record_menu_truncation();

create or replace trigger category_insert_recorded after insert on category
  referencing new table as after for each statement execute function record_menu_change();
create or replace trigger category_update_recorded after update on category
  referencing old table as before new table as after for each statement execute function record_menu_change();
create or replace trigger category_delete_recorded after delete on category
  referencing old table as before for each statement execute function record_menu_change();
create or replace trigger category_truncate_recorded before truncate on category
  for each statement execute function record_menu_truncation();

create or replace trigger menu_item_insert_recorded after insert on menu_item
  referencing new table as after for each statement execute function record_menu_change();
create or replace trigger menu_item_update_recorded after update on menu_item
  referencing old table as before new table as after for each statement execute function record_menu_change();
create or replace trigger menu_item_delete_recorded after delete on menu_item
  referencing old table as before for each statement execute function record_menu_change();
create or replace trigger menu_item_truncate_recorded before truncate on menu_item
  for each statement execute function record_menu_truncation();

create or replace trigger modifier_group_insert_recorded after insert on modifier_group
  referencing new table as after for each statement execute function record_menu_change();
create or replace trigger modifier_group_update_recorded after update on modifier_group
  referencing old table as before new table as after for each statement execute function record_menu_change();
create or replace trigger modifier_group_delete_recorded after delete on modifier_group
  referencing old table as before for each statement execute function record_menu_change();
create or replace trigger modifier_group_truncate_recorded before truncate on modifier_group
  for each statement execute function record_menu_truncation();

create or replace trigger modifier_item_insert_recorded after insert on modifier_item
  referencing new table as after for each statement execute function record_menu_change();
create or replace trigger modifier_item_update_recorded after update on modifier_item
  referencing old table as before new table as after for each statement execute function record_menu_change();
create or replace trigger modifier_item_delete_recorded after delete on modifier_item
  referencing old table as before for each statement execute function record_menu_change();
create or replace trigger modifier_item_truncate_recorded before truncate on modifier_item
  for each statement execute function record_menu_truncation();

-- Instead of a foreign key, whose check would lock the row of the store again with every insert.
create or replace function delete_menu_history() returns trigger language plpgsql set search_path from current as $$
begin
  delete from menu_history where store_id = old.id;
  return null;
end $$;
create or replace trigger store_history_deleted after delete on store for each row execute function delete_menu_history();

create or replace function truncate_menu_history() returns trigger language plpgsql set search_path from current as $$
begin
  truncate menu_history;
  return null;
end $$;
create or replace trigger store_history_truncated after truncate on store for each statement execute function truncate_menu_history();

-- Where the history of a pruned menu began, so that a revision that never existed is told from one that is no longer kept.
create or replace function remember_menu_history_start() returns trigger language plpgsql set search_path from current as $$
begin
  -- Not of a store that is being deleted, and its history with it.
  insert into menu_history_start (store_id, revision)
  select store_id, min(revision) from old_rows
  where exists (select from store where id = store_id)
  group by store_id order by store_id
  on conflict (store_id) do nothing;
  return null;
end $$;
create or replace trigger menu_history_pruned after delete on menu_history
  referencing old table as old_rows for each statement execute function remember_menu_history_start();
