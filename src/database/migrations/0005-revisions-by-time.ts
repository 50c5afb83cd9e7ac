import { Migration } from '@mikro-orm/migrations';

/**
 * Makes revisions unique over all histories of a database. A counter is used twice when a standby is promoted that lacks the last changes, or
 * when a back-up is restored; the time of a change is not. `primary_start` lets a replica prove that it follows the current primary.
 */
export class RevisionsByTimeMigration extends Migration {
  override up(): void {
    this.addSql(`
      create function revision_after(previous bigint) returns bigint language sql volatile
        return greatest(previous, (extract(epoch from clock_timestamp()) * 1000000)::bigint);

      create function date_menu_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        new.menu_revision = revision_after(new.menu_revision);
        return new;
      end $$;
      create trigger store_menu_revised before update of menu_revision on store
        for each row when (new.menu_revision > old.menu_revision) execute function date_menu_revision();

      create or replace function resume_menu_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        select revision_after(menu_revision + 1) into new.menu_revision from deleted_store where id = new.id;
        new.menu_revision = coalesce(new.menu_revision, 0);
        return new;
      end $$;

      create function date_order_revision() returns trigger language plpgsql set search_path from current as $$
      begin
        new.revision = revision_after(new.revision);
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
