import { Migration } from '@mikro-orm/migrations';

/** Adds the currency that an operator can import; without one it is that of the country. */
export class StoreCurrencyMigration extends Migration {
  override up(): void {
    this.addSql('alter table store add column currency text null;');
  }
}
