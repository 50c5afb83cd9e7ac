import { Migration } from '@mikro-orm/migrations';
import { OrderIndexMigration } from './order-index.ts';

/** Adds when the guest's data of an order was emptied. */
export class AnonymizedOrdersMigration extends Migration {
  override up(): void {
    this.addSql('alter table orders add column anonymized_at timestamptz(3) null');
  }
}

/** Builds the index of the orders by their age, those that may have a guest's data apart from the others. */
export class OrdersByAgeMigration extends OrderIndexMigration {
  protected readonly suffix = '_by_age';
  protected readonly columns =
    '(((anonymized_at is not null)::int), (coalesce(completed_at, greatest(created_at, ready_by))))';
}
