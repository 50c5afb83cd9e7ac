import { Migration } from '@mikro-orm/migrations';

/**
 * Replaces the one write permission of API keys by finer ones. A key that could write could replace menus, and keeps just that. `can_write`
 * stays, computed, for processes of the version before.
 */
export class PermissionsMigration extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_key add column permissions text[] not null default '{}'
        constraint api_key_permissions_check check (permissions <@ array['ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text]);
      update api_key set permissions = '{MENU}' where can_write;
      alter table api_key drop column can_write;
      alter table api_key add column can_write boolean generated always as ('MENU' = any (permissions)) stored;
    `);
  }
}
