import { readFileSync } from 'node:fs';
import { OperatorError } from '@carte/base/errors';
import { Migration } from '@mikro-orm/migrations';

/** The last migrations of 0.2.0, and of what was not released between it and 1.0: their databases have the name. */
const of020 = '0021-event-inbox';
const before10 = '0035-failing-edge-caches';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Makes the tables of a new database, or brings one of 0.2.0 up to them. */
export class BaselineMigration extends Migration {
  override async up(): Promise<void> {
    const rows = await this.execute("select name from migration where name not like '%.sql %' order by id");
    const applied = rows.map(({ name }) => String(name));
    const last = applied.at(-1);
    if (last === undefined) this.addSql(read('1.0-baseline.sql'));
    else if (last === of020) this.addSql(read('1.0-from-0.2.0.sql'));
    else if (last === before10) this.addSql(read('1.0-from-unreleased.sql'));
    else throw notUpgraded(last, applied.includes(of020));
  }
}

function notUpgraded(last: string, isLater: boolean): OperatorError {
  return new OperatorError(
    isLater
      ? `The database is of a version between 0.2.0 and 1.0 that was not released (its last migration is "${last}"): migrate it with the last of these versions first, which has "${before10}".`
      : `The database is of version 0.1.0 (its last migration is "${last}"): upgrade it to 0.2.0 first, by \`carte migrate\` of that version.`,
  );
}

/** What follows the table, by the end of the index's name. */
const indexes = {
  _by_completion: `(store_id, coalesce(completed_at, created_at) desc, id desc)
    where status in ('CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'REJECTED', 'FULFILLED')`,
  _by_placer: '(store_id, placed_by, status, created_at desc, id desc) where placed_by is not null',
  _by_age: '(((anonymized_at is not null)::int), (coalesce(completed_at, greatest(created_at, ready_by))))',
};

/** Builds the indexes of orders that 0.2.0 does not have while orders are written, on each partition where there are any. May be repeated. */
export class BaselineIndexesMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    for (const [suffix, columns] of Object.entries(indexes)) {
      const tables = await this.execute(`
        select oid::regclass::text as name, quote_ident(relname || '${suffix}') as index, relkind = 'p' as "isSplit", exists (
          select from pg_index join pg_class made on made.oid = indexrelid
          where indrelid = tables.oid and made.relname = tables.relname || '${suffix}' and not indisvalid
        ) as "hasFailed"
        from pg_class tables
        where oid = 'orders'::regclass or oid in (select relid from pg_partition_tree('orders') where isleaf)
        order by "isSplit"`);
      for (const { name, index, isSplit, hasFailed } of tables) {
        if (isSplit) {
          // Of those of its partitions, in a moment; but it needs a lock against which writers wait.
          this.addSql(`select set_config('lock_timeout', '300ms', true);
            create index if not exists ${index} on ${name} ${columns}`);
        } else {
          // What an attempt that failed has left behind is not used by queries.
          if (hasFailed) this.addSql(`drop index concurrently ${index}`);
          this.addSql(`create index concurrently if not exists ${index} on ${name} ${columns}`);
        }
      }
    }
  }
}
