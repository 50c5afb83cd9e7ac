import { Migration } from '@mikro-orm/migrations';

/**
 * Adds permissions for reading, and publishable keys with the origins of their pages. Keys stay as they are: without a permission for reading they
 * read everything.
 */
export class ReadingPermissionsMigration extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_key drop constraint api_key_permissions_check;
      alter table api_key add constraint api_key_permissions_check check (permissions <@ array[
        'ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text, 'READ_MENUS'::text, 'READ_ORDERS'::text, 'READ_HISTORY'::text]);
      alter table api_key add column publishable boolean not null default false, add column origins text[] not null default '{}';
    `);
  }
}
