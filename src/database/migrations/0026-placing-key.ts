import { Migration } from '@mikro-orm/migrations';

/** Records which key has placed an order. Orders of before are nobody's. */
export class PlacingKeyMigration extends Migration {
  override up(): void {
    this.addSql('alter table orders add column placed_by text collate "C" null');
  }
}
