import { Migration } from '@mikro-orm/migrations';

/** Adds how far the caches at the edge are purged. */
export class EdgeCachesMigration extends Migration {
  override up(): void {
    this.addSql(`create table edge_cache (
      url text collate "C" not null, position bigint not null, repeated bigint not null, claim uuid null,
      claimed_until timestamptz(3) not null default now(), primary key (url))`);
  }
}
