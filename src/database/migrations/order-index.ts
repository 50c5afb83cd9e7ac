import { Migration } from '@mikro-orm/migrations';

/** Builds an index of the orders while they are written, on each partition where there are any. */
export abstract class OrderIndexMigration extends Migration {
  /** The end of its name, after that of the table. */
  protected abstract readonly suffix: string;
  /** What follows the table. */
  protected abstract readonly columns: string;

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    const { suffix, columns } = this;
    const tables = await this.execute(`
      select oid::regclass::text as name, quote_ident(relname || '${suffix}') as index, exists (
        select from pg_index join pg_class made on made.oid = indexrelid
        where indrelid = tables.oid and made.relname = tables.relname || '${suffix}' and not indisvalid
      ) as "hasFailed"
      from pg_class tables
      where oid = 'orders'::regclass and relkind = 'r' or oid in (select relid from pg_partition_tree('orders') where isleaf)`);
    for (const { name, index, hasFailed } of tables) {
      // What an attempt that failed has left behind is not used by queries.
      if (hasFailed) this.addSql(`drop index concurrently ${index}`);
      this.addSql(`create index concurrently if not exists ${index} on ${name} ${columns}`);
    }
    // Of a partitioned table, it is made of those.
    this.addSql(`create index if not exists orders${suffix} on orders ${columns}`);
  }
}
