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
 * until now only a change of `prep_type` did that. Every store's current revision becomes its first entry.
 */
export class MenuHistoryMigration extends Migration {
  override up(): void {
    this.addSql(`
      create table menu_history (
        store_id text collate "C" not null,
        revision bigint not null,
        created_at timestamptz(3) not null,
        source text not null,
        key_name text null,
        primary key (store_id, revision)
      );
      create table menu_change (
        id bigserial primary key,
        store_id text collate "C" not null,
        revision bigint not null,
        kind text not null,
        inserted_ids bigint[] null,
        old_rows json null,
        old_positions json null,
        added int not null,
        changed int not null,
        removed int not null,
        bytes int not null
      );
      create index menu_change_of_revision on menu_change (store_id, revision);
      alter table menu_history add constraint menu_history_store_id_foreign
        foreign key (store_id) references store (id) on delete cascade;
      alter table menu_change add constraint menu_change_store_id_foreign
        foreign key (store_id) references store (id) on delete cascade;

      insert into menu_history (store_id, revision, created_at, source)
      select id, menu_revision, case when menu_revision > 1e15 then to_timestamp(menu_revision / 1e6) else now() end, 'UNKNOWN'
      from store where menu_revision > 0;

      create or replace function date_menu_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        new.menu_revision = greatest(new.menu_revision, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
        perform set_config('carte.menu_revision', new.id || ' ' || new.menu_revision, true);
        return new;
      end $$;
      drop trigger menu_item_prep_type on menu_item;
      drop function grow_menu_revision();

      create function add_menu_change(change menu_change) returns void language plpgsql set search_path from current as $$
      begin
        select menu_revision into change.revision from store where id = change.store_id;
        -- The store is being deleted, and its history with it.
        if not found then return; end if;
        -- Within a transaction that has increased the revision, e.g. in the same statement, changes belong to that revision.
        if current_setting('carte.menu_revision', true) is distinct from change.store_id || ' ' || change.revision then
          update store set menu_revision = menu_revision + 1 where id = change.store_id
          returning menu_revision into change.revision;
        end if;
        insert into menu_history (store_id, revision, created_at, source, key_name)
        values (change.store_id, change.revision, clock_timestamp(),
          coalesce(nullif(current_setting('carte.change_source', true), ''), 'SQL'),
          nullif(current_setting('carte.key_name', true), ''))
        on conflict do nothing;
        insert into menu_change (store_id, revision, kind, inserted_ids, old_rows, old_positions, added, changed, removed, bytes)
        values (change.store_id, change.revision, change.kind, change.inserted_ids, change.old_rows, change.old_positions,
          change.added, change.changed, change.removed,
          coalesce(8 * cardinality(change.inserted_ids), 0) + coalesce(octet_length(change.old_rows::text), 0)
            + coalesce(octet_length(change.old_positions::text), 0));
      end $$;

      create function record_menu_change() returns trigger language plpgsql set search_path from current as $$
      declare
        change menu_change;
      begin
        change.kind = tg_table_name;
        if tg_op = 'INSERT' then
          for change.store_id, change.inserted_ids, change.added, change.changed, change.removed in
            select store_id, array_agg(id), count(*), 0, 0 from after group by store_id
          loop
            perform add_menu_change(change);
          end loop;
        elsif tg_op = 'DELETE' then
          for change.store_id, change.old_rows, change.added, change.changed, change.removed in
            select store_id, json_agg(before), 0, 0, count(*) from before group by store_id
          loop
            perform add_menu_change(change);
          end loop;
        else
          -- One entity more in front moves all others: of those that only moved, the position is enough.
          for change.store_id, change.inserted_ids, change.old_rows, change.old_positions, change.added, change.changed, change.removed in
            select store_id,
              array_agg(id) filter (where is_new),
              json_agg(old_row) filter (where old_row is not null),
              json_agg(json_build_array(id, old_position)) filter (where old_row is null and not is_new),
              count(*) filter (where is_new),
              count(*) filter (where old_row is not null and not is_gone),
              count(*) filter (where is_gone)
            from (
              select store_id, id, b.position as old_position, b.id is null as is_new, a.id is null as is_gone,
                case when b.position = a.position or a.id is null
                  or not json_populate_record(b, '{"position": 0}') *= json_populate_record(a, '{"position": 0}')
                then row_to_json(b) end as old_row
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
    `);
    for (const table of tables) {
      for (const [event, transitions] of Object.entries(events)) {
        this.addSql(`
          create trigger ${table}_${event}_recorded after ${event} on ${table} referencing ${transitions}
            for each statement execute function record_menu_change();
        `);
      }
    }
  }
}
