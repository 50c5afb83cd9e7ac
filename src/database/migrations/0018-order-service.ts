import { Migration } from '@mikro-orm/migrations';
import { OrderIndexMigration } from './order-index.ts';

/** Adds how orders are served, what is paid besides their lines, and their steps. Orders of before have none of them. */
export class OrderServiceMigration extends Migration {
  override up(): void {
    this.addSql(`alter table orders
      add column service_type text null,
      add column service json null,
      add column steps jsonb null`);
  }
}

/** Builds the index of the orders with a service type. */
export class OrdersByServiceMigration extends OrderIndexMigration {
  protected readonly suffix = '_by_service';
  protected readonly columns = '(store_id, service_type, created_at desc, id desc) where service_type is not null';
}
