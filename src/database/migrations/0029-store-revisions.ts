import { Migration } from '@mikro-orm/migrations';

/** Adds the revision of each store, which a trigger sets. Stores of before have 0 until they change. */
export class StoreRevisionsMigration extends Migration {
  override up(): void {
    this.addSql("alter table store add column revision bigint not null default '0'");
  }
}
