import { Migration } from '@mikro-orm/migrations';

/** Adds the time of the last use to API keys. */
export class LastUseMigration extends Migration {
  override up(): void {
    this.addSql('alter table api_key add column last_used_at timestamptz(3)');
  }
}
