import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/** Remembers where the history of a pruned menu began, so that a revision that never existed is told from one that is no longer kept. */
export class MenuHistoryStartMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('share row exclusive', 'menu_history', 'store'));
    this.addSql(`
      create table menu_history_start (
        store_id text collate "C" not null,
        revision bigint not null,
        primary key (store_id),
        constraint menu_history_start_store_id_foreign foreign key (store_id) references store (id)
          on update cascade on delete cascade
      );
      create function remember_menu_history_start() returns trigger language plpgsql set search_path from current as $$
      begin
        -- Not of a store that is being deleted, and its history with it.
        insert into menu_history_start (store_id, revision)
        select store_id, min(revision) from old_rows
        where exists (select from store where id = store_id)
        group by store_id order by store_id
        on conflict (store_id) do nothing;
        return null;
      end $$;
      create trigger menu_history_pruned after delete on menu_history
        referencing old table as old_rows for each statement execute function remember_menu_history_start();
    `);
  }
}
