import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/** Adds the preparation time of a store. Nothing is rewritten. */
export class PreparationMinutesMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('access exclusive', 'store'));
    this.addSql('alter table store add column preparation_minutes int not null default 0');
  }
}
