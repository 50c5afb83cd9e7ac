import { Migration } from '@mikro-orm/migrations';
import { OrderIndexMigration } from './order-index.ts';

/** Adds the permission to read the orders that the key itself has placed. */
export class OwnOrdersMigration extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_key drop constraint api_key_permissions_check;
      alter table api_key add constraint api_key_permissions_check check (permissions <@ array[
        'ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text, 'READ_MENUS'::text, 'READ_ORDERS'::text, 'READ_HISTORY'::text,
        'READ_OWN_ORDERS'::text]);
    `);
  }
}

/** Builds the index of the orders by the key that has placed them. */
export class OrdersByPlacerMigration extends OrderIndexMigration {
  protected readonly suffix = '_by_placer';
  protected readonly columns = '(store_id, placed_by, status, created_at desc, id desc) where placed_by is not null';
}
