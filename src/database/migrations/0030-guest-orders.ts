import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/** Adds orders of guests: the permission to place them, their tokens, and whether a store takes them. Nothing is rewritten. */
export class GuestOrdersMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('access exclusive', 'api_key', 'orders', 'store'));
    this.addSql(`
      alter table api_key drop constraint api_key_permissions_check;
      alter table api_key add constraint api_key_permissions_check check (permissions <@ array[
        'ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text, 'READ_MENUS'::text, 'READ_ORDERS'::text, 'READ_HISTORY'::text,
        'READ_OWN_ORDERS'::text, 'PLACE_GUEST_ORDERS'::text]);
      alter table orders add column placed_by_guest boolean not null default false;
      alter table store add column guest_orders boolean not null default true;
      create table guest_token (
        order_id text collate "C" not null,
        store_id text collate "C" not null,
        key_id text collate "C" not null,
        hash bytea not null,
        address_hash int not null,
        expires_at timestamptz(3) not null,
        primary key (order_id),
        constraint guest_token_hash_unique unique (hash),
        constraint guest_token_store_id_foreign foreign key (store_id) references store (id) on delete cascade
      );
      create index guest_token_by_expiry on guest_token (store_id, expires_at);
    `);
  }
}
