import { Migration } from '@mikro-orm/migrations';

const tables = ['menu', 'category', 'menu_item', 'modifier_group', 'modifier_item'];
const events = {
  insert: 'new table as after',
  update: 'old table as before new table as after',
  delete: 'old table as before',
};

/**
 * Records how to undo each change to a menu configuration, in the transaction that makes it and whatever makes it: a replacement, `setStock`,
 * a statement by hand, or a process of an earlier version. A statement that does not increase `menu_revision` itself has it increased here;
 * until now only a change of `prep_type` did that. Every store's current revision becomes the first of its history.
 */
export class MenuHistoryMigration extends Migration {
  override up(): void {
    this.addSql(`
      -- What another process writes meanwhile is either in the first entries or recorded. In the order of a replacement, against deadlocks.
      lock table ${tables.join(', ')}, store in share row exclusive mode;
      create table menu_history (
        store_id text collate "C" not null,
        revision bigint not null,
        id bigserial not null,
        created_at timestamptz(3) not null,
        source text not null,
        key_name text null,
        kind text null,
        inserted_ids bigint[] null,
        old_rows json null,
        old_positions json null,
        added int not null default 0,
        changed int not null default 0,
        removed int not null default 0,
        bytes int not null default 0,
        primary key (store_id, revision, id)
      );
      insert into menu_history (store_id, revision, created_at, source)
      select id, menu_revision, case when menu_revision > 1e15 then to_timestamp(menu_revision / 1e6) else now() end, 'UNKNOWN'
      from store where menu_revision > 0;

      -- Instead of a foreign key, whose check would lock the row of the store again with every insert.
      create function delete_menu_history() returns trigger language plpgsql set search_path from current as $$
      begin
        delete from menu_history where store_id = old.id;
        return null;
      end $$;
      create trigger store_history_deleted after delete on store for each row execute function delete_menu_history();
      create function truncate_menu_history() returns trigger language plpgsql set search_path from current as $$
      begin
        truncate menu_history;
        return null;
      end $$;
      create trigger store_history_truncated after truncate on store for each statement execute function truncate_menu_history();

      create or replace function date_menu_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        new.menu_revision = greatest(new.menu_revision, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
        perform set_config('carte.menu_revision', new.menu_revision || ' ' || new.id, true);
        return new;
      end $$;
      drop trigger menu_item_prep_type on menu_item;
      drop function grow_menu_revision();

      create function add_menu_change(change menu_history) returns void language plpgsql as $$
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

      create function record_menu_change() returns trigger language plpgsql set search_path from current as $$
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
      create function record_menu_truncation() returns trigger language plpgsql set search_path from current as $$
      begin
        execute format('delete from %I', tg_table_name);
        return null;
      end $$;
    `);
    for (const table of tables) {
      this.addSql(`
        create trigger ${table}_truncate_recorded before truncate on ${table} for each statement execute function record_menu_truncation();
      `);
      for (const [event, transitions] of Object.entries(events)) {
        this.addSql(`
          create trigger ${table}_${event}_recorded after ${event} on ${table} referencing ${transitions}
            for each statement execute function record_menu_change();
        `);
      }
    }
  }
}
