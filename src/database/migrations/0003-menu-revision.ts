import { Migration } from '@mikro-orm/migrations';

/**
 * A revision identifies a store's configuration in ETags and cached responses. So it also grows when the operator changes
 * `prep_type`, and a store that is deleted and created again continues from its last revision.
 */
export class MenuRevisionMigration extends Migration {
  override up(): void {
    this.addSql(`
      create function grow_menu_revision() returns trigger language plpgsql as $$
      begin
        update store set menu_revision = menu_revision + 1 where id = new.store_id;
        return null;
      end $$;
      create trigger menu_item_prep_type after update of prep_type on menu_item
        for each row when (old.prep_type is distinct from new.prep_type) execute function grow_menu_revision();

      create table deleted_store (
        id text collate "C" not null,
        menu_revision bigint not null,
        primary key (id)
      );
      create function remember_menu_revision() returns trigger language plpgsql as $$
      begin
        insert into deleted_store (id, menu_revision) values (old.id, old.menu_revision)
        on conflict (id) do update set menu_revision = excluded.menu_revision;
        return null;
      end $$;
      create trigger store_deleted after delete on store for each row execute function remember_menu_revision();
      create function resume_menu_revision() returns trigger language plpgsql as $$
      begin
        select menu_revision + 1 into new.menu_revision from deleted_store where id = new.id;
        new.menu_revision = coalesce(new.menu_revision, 0);
        return new;
      end $$;
      create trigger store_inserted before insert on store for each row execute function resume_menu_revision();
    `);
  }
}
