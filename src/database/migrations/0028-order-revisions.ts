import { Migration } from '@mikro-orm/migrations';

/** Adds the revision of each order, which a trigger sets. Orders of before have 0 until they change. */
export class OrderRevisionsMigration extends Migration {
  override up(): void {
    this.addSql("alter table orders add column revision bigint not null default '0'");
  }
}
