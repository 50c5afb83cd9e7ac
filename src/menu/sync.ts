import type { EntityManager } from '@mikro-orm/postgresql';
import { prepared } from '../database/query.ts';
import { type Column, compiledOnce, menuKinds, type NamedKind, tableOf } from './kinds.ts';

/** Set by the operator and kept over replacements. */
const notPosted = new Set(['prepType']);

/**
 * One statement that makes all rows of a store ($1) equal to five JSON lists ($2 to $6, in the order of `menuKinds`):
 * it deletes what is missing, updates what differs and inserts what is new, so that an id is drawn for new external ids
 * alone (`on conflict` would draw one for every row). The revision grows if any of that changed a row.
 */
export const syncText = compiledOnce(em => {
  const parts = menuKinds.map((kind, index) => syncTable(em, kind, `$${index + 2}`));
  const changes = menuKinds.flatMap(({ name }) =>
    ['deleted', 'updated', 'inserted'].map(change => `exists (select from "${name} ${change}")`),
  );
  return prepared(`with ${parts.join(',\n')}
    update store set menu_revision = menu_revision + 1 where id = $1 and (${changes.join(' or ')})`);
});

function syncTable(em: EntityManager, kind: NamedKind, parameter: string): string {
  const list = kind.name;
  const { tableName, columns: all } = tableOf(em, kind);
  const columns = all.filter(column => !notPosted.has(column.property));
  const names = columns.map(column => column.name).join(', ');
  const posted = columns.map(column => `p."${column.property}"`).join(', ');
  return `
    "${list} posted" as materialized (
      select * from json_to_recordset(${parameter}::json)
        as p("externalId" text, ${columns.map(column => `"${column.property}" ${column.type}`).join(', ')})
    ),
    "${list} deleted" as (
      delete from ${tableName} t where t.store_id = $1
        and not exists (select from "${list} posted" p where p."externalId" = t.external_id)
      returning 1
    ),
    "${list} updated" as (
      update ${tableName} t set ${columns.map(column => `${column.name} = p."${column.property}"`).join(', ')}
      from "${list} posted" p
      where t.store_id = $1 and t.external_id = p."externalId" and (${columns.map(differs).join(' or ')})
      returning 1
    ),
    "${list} inserted" as (
      insert into ${tableName} (store_id, external_id, ${names})
      select $1, p."externalId", ${posted} from "${list} posted" p
      where not exists (select from ${tableName} t where t.store_id = $1 and t.external_id = p."externalId")
      order by p.position
      returning 1
    )`;
}

/** `json` has no equality; its text has, and keeps the order of keys as posted. */
function differs({ property, name, type }: Column): string {
  const cast = type === 'json' ? '::text' : '';
  return `t.${name}${cast} is distinct from p."${property}"${cast}`;
}
