import { Migration } from '@mikro-orm/migrations';

/** Adds the operation that is the messages of a webhook. */
export class WebhookOperationsMigration extends Migration {
  override up(): void {
    this.addSql('alter table webhook add column operation text null');
  }
}
