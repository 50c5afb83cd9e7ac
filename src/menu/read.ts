import type { MetadataStorage } from '@mikro-orm/core';
import { parseJson } from '../input/json.ts';
import type { Query } from '../statement.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration } from './configuration.ts';
import { columnsOf, menuTables, preparedFor } from './tables.ts';

interface ConfigurationRow extends ConfigurationRows {
  readonly id: string;
  readonly revision: number;
}

/**
 * The configurations of many stores in one statement: one statement is one snapshot, so no reader ever sees parts of
 * two revisions.
 */
export async function readConfigurations(
  query: Query,
  metadata: MetadataStorage,
  storeIds: readonly string[],
): Promise<Map<string, Configuration>> {
  const rows = await query<{ readonly configuration: string }>(readStatement(metadata), [storeIds]);
  const configurations = rows.map(({ configuration }) => {
    const row = parseJson(configuration) as ConfigurationRow;
    return linkConfiguration(row.id, row.revision, row);
  });
  return new Map(configurations.map(configuration => [configuration.storeId, configuration]));
}

const readStatement = preparedFor(readText);

function readText(metadata: MetadataStorage): string {
  const lists = menuTables.map(({ list, entity }) => {
    const { tableName, columns } = columnsOf(metadata, entity);
    const selected = columns.filter(column => column.property !== 'position');
    const aliased = selected.map(column => `${column.name} as "${column.property}"`).join(', ');
    return `'${list}', coalesce((
      select json_agg(row) from (select id, external_id as "externalId", ${aliased} from ${tableName} where store_id = store.id order by position) row
    ), '[]')`;
  });
  // As text: the driver would parse the document as one whose numbers are kept digit for digit.
  return `select json_build_object('id', id, 'revision', menu_revision, ${lists.join(', ')})::text as configuration
    from store where id = any($1)`;
}
