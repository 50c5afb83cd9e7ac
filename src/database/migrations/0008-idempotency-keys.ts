import { Migration } from '@mikro-orm/migrations';

/** Adds the idempotency keys of placed orders, by which a repeated call finds the order of the first one. */
export class IdempotencyKeysMigration extends Migration {
  override up(): void {
    this.addSql(`
      create table order_idempotency_key (
        store_id text collate "C" not null,
        key text collate "C" not null,
        request_hash bytea not null,
        order_id text collate "C" not null,
        created_at timestamptz(3) not null,
        primary key (store_id, key),
        constraint order_idempotency_key_store_id_foreign foreign key (store_id) references store (id) on delete cascade
      );
      create index order_idempotency_key_by_time on order_idempotency_key (store_id, created_at);
    `);
  }
}
