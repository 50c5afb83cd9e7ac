import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/** Adds webhooks, the queue of each webhook and store, and the outcome of deliveries. docs/webhooks-and-events.md describes them. */
export class WebhooksMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('share row exclusive', 'merchant', 'store'));
    this.addSql(`
      create table webhook (
        id text collate "C" not null,
        url text not null,
        merchant_id text collate "C" null,
        store_id text collate "C" null,
        kinds text[] not null,
        secret text not null,
        previous_secret text null,
        previous_secret_expires_at timestamptz(3) null,
        start_position bigint not null,
        created_at timestamptz(3) not null default now(),
        last_delivered_at timestamptz(3) null,
        failing_since timestamptz(3) null,
        paused_at timestamptz(3) null,
        removed_at timestamptz(3) null,
        notice text null,
        primary key (id),
        constraint webhook_one_subject check (num_nonnulls(merchant_id, store_id) = 1),
        constraint webhook_merchant_id_foreign foreign key (merchant_id) references merchant (id) on delete cascade,
        constraint webhook_store_id_foreign foreign key (store_id) references store (id) on delete cascade
      );
      create index webhook_merchant_id_index on webhook (merchant_id);
      create index webhook_store_id_index on webhook (store_id);

      create table webhook_queue (
        webhook_id text collate "C" not null,
        store_id text collate "C" not null,
        position bigint not null,
        newest bigint not null,
        next_attempt_at timestamptz(3) not null default now(),
        claim uuid null,
        attempts int not null default 0,
        failing_since timestamptz(3) null,
        waiting_since timestamptz(3) null,
        primary key (webhook_id, store_id),
        constraint webhook_queue_webhook_id_foreign foreign key (webhook_id) references webhook (id) on delete cascade
      );
      create index webhook_queue_due on webhook_queue (next_attempt_at) where newest > position;

      create table webhook_delivery (
        webhook_id text collate "C" not null,
        position bigint not null,
        kind text not null,
        store_id text collate "C" not null,
        order_id text collate "C" null,
        event_at timestamptz(3) not null,
        state text not null,
        attempts int not null,
        last_attempt_at timestamptz(3) not null,
        status int null,
        error text null,
        duration_ms int not null,
        primary key (webhook_id, position),
        constraint webhook_delivery_state_check check (state in ('DELIVERED', 'FAILING', 'GIVEN_UP')),
        constraint webhook_delivery_webhook_id_foreign foreign key (webhook_id) references webhook (id) on delete cascade
      );
      create index webhook_delivery_by_time on webhook_delivery (last_attempt_at);

      create table webhook_progress (
        id int not null,
        position bigint not null,
        primary key (id)
      );
      insert into webhook_progress (id, position) values (1, 0);
    `);
  }
}
