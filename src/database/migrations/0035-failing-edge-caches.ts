import { Migration } from '@mikro-orm/migrations';

/** Adds since when caches at the edge have not confirmed purges. */
export class FailingEdgeCachesMigration extends Migration {
  override up(): void {
    this.addSql('alter table edge_cache add column failing_since timestamptz(3) null, add column failure text null');
  }
}
