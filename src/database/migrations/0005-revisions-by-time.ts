import { Migration } from '@mikro-orm/migrations';

const microseconds = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

/**
 * Makes revisions unique over all histories of a database. A counter is used twice when a standby is promoted that lacks the last changes, or
 * when a back-up is restored; the time of a change is not. `primary_start` lets a replica prove that it follows the current primary.
 */
export class RevisionsByTimeMigration extends Migration {
  override up(): void {
    this.addSql(`
      create function date_menu_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        new.menu_revision = greatest(new.menu_revision, ${microseconds});
        return new;
      end $$;
      create trigger store_menu_revised before update of menu_revision on store
        for each row when (new.menu_revision > old.menu_revision) execute function date_menu_revision();

      create or replace function resume_menu_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        select greatest(menu_revision + 1, ${microseconds}) into new.menu_revision from deleted_store where id = new.id;
        new.menu_revision = coalesce(new.menu_revision, 0);
        return new;
      end $$;

      create function date_order_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        new.revision = greatest(new.revision, ${microseconds});
        return new;
      end $$;
      create trigger order_revision_dated before insert or update on order_revision
        for each row execute function date_order_revision();

      create table primary_start (
        id text collate "C" not null,
        primary key (id)
      );
    `);
  }
}
