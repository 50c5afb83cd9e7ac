import { Migration } from '@mikro-orm/migrations';

/** Adds how orders are served, what is paid besides their lines, and their steps. Orders of before have none of them. */
export class OrderServiceMigration extends Migration {
  override up(): void {
    this.addSql(`alter table orders
      add column service_type text null,
      add column service json null,
      add column steps jsonb null`);
  }
}

const columns = '(store_id, service_type, created_at desc, id desc) where service_type is not null';

/** Builds the index of the orders with a service type, on each partition where there are any. */
export class OrdersByServiceMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    const tables = await this.execute(`
      select oid::regclass::text as name, quote_ident(relname || '_by_service') as index, exists (
        select from pg_index join pg_class made on made.oid = indexrelid
        where indrelid = tables.oid and made.relname = tables.relname || '_by_service' and not indisvalid
      ) as "hasFailed"
      from pg_class tables
      where oid = 'orders'::regclass and relkind = 'r' or oid in (select relid from pg_partition_tree('orders') where isleaf)`);
    for (const { name, index, hasFailed } of tables) {
      // What an attempt that failed has left behind is not used by queries.
      if (hasFailed) this.addSql(`drop index concurrently ${index}`);
      this.addSql(`create index concurrently if not exists ${index} on ${name} ${columns}`);
    }
    // Of a partitioned table, it is made of those.
    this.addSql(`create index if not exists orders_by_service on orders ${columns}`);
  }
}
