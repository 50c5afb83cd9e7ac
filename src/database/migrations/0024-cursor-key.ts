import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the key by which cursors are encrypted. Processes of 0.2.0 that still serve read only cursors as text, so those of events of the next hour are
 * such, unless the database is new.
 */
export class CursorKeyMigration extends Migration {
  override up(): void {
    this.addSql(`
      alter table event_log
        add column cursor_key bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
        add column encrypted_from bigint not null default 0;
      alter table event_log alter column cursor_key drop default, alter column encrypted_from drop default;
      update event_log set encrypted_from = (extract(epoch from now() + interval '1 hour') * 1000000)::bigint
        where exists (select from store);
    `);
  }
}
