import { Migration } from '@mikro-orm/migrations';
import { lockTables } from './lock-tables.ts';

/**
 * Stores the texts of a store's name in lower case, which a search would else collect from the JSON of every store. Names with escape sequences that
 * `jsonb` cannot have are not found by them.
 */
export class StoreSearchMigration extends Migration {
  override up(): void {
    this.addSql(lockTables('access exclusive', 'store'));
    this.addSql(String.raw`
      alter table store add column name_folded text collate "C" generated always as (
        case when name::text ~ '\\u(0000|[dD][89a-fA-F])' then '' else lower(regexp_replace(
          jsonb_path_query_array(name::jsonb, 'strict $.**?(@.type() == "string")')::text, '\\(["\\])', '\1', 'g'
        ) collate "und-x-icu") end
      ) stored;
    `);
  }
}
