import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { ReadAccess } from '../database/access.ts';
import { parseJsonList } from '../database/json-list.ts';
import { compileOnce, prepared, type Query } from '../database/query.ts';
import { runInSlices, TimeSlice } from '../scheduling/time-slice.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration } from './configuration.ts';
import { type Kind, menuKinds, tableOf } from './kinds.ts';

export type MenuRepository = ReturnType<typeof createMenuRepository>;

export function createMenuRepository({ em, query }: ReadAccess) {
  return {
    findConfigurations: (storeIds: readonly string[]) => findConfigurations(query, em, storeIds),
  };
}

type ConfigurationRow = Readonly<Record<keyof ConfigurationRows, string>> & {
  readonly id: string;
  readonly menu_revision: number;
};

/** Reads configurations by store id in one statement, and so from one snapshot: no reader sees parts of two revisions. */
export async function findConfigurations(
  query: Query,
  em: EntityManager,
  storeIds: readonly string[],
): Promise<Map<string, Configuration>> {
  const rows = await query<ConfigurationRow>(selectStatement(em), [storeIds]);
  const configurations = new Map<string, Configuration>();
  const slice = new TimeSlice();
  for (const row of rows) configurations.set(row.id, await readConfiguration(row, slice));
  return configurations;
}

/** Parses and links a configuration, at once if it is small. */
async function readConfiguration(
  { id, menu_revision: revision, ...lists }: ConfigurationRow,
  slice: TimeSlice,
): Promise<Configuration> {
  const parsed: [string, unknown][] = [];
  for (const [name, list] of Object.entries(lists)) {
    parsed.push([name, await runInSlices(parseJsonList(list), slice)]);
  }
  const rows: ConfigurationRows = Object.fromEntries(parsed) as Record<keyof ConfigurationRows, never>;
  return runInSlices(linkConfiguration(id, revision, rows), slice);
}

const selectStatement = compileOnce(em => {
  // biome-ignore lint/suspicious/noExplicitAny: tables and columns come from metadata, at run time
  const kysely: Kysely<any> = em.getKysely();
  const { sql: text } = kysely
    .selectFrom('store')
    .select(['id', 'menu_revision', ...menuKinds.map(kind => selectList(em, kysely, kind))])
    .where('id', '=', sql`any(${[]})`)
    .compile();
  return prepared(text);
});

/** Casts to text, because the driver's parser for `json` preserves the digits of numbers instead of parsing them. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function selectList(em: EntityManager, kysely: Kysely<any>, kind: Kind) {
  const { tableName, columns } = tableOf(em, kind);
  const properties = columns.filter(({ property }) => property !== 'position');
  const rows = kysely
    .selectFrom(tableName)
    .select([
      'id as numericId',
      'external_id as externalId',
      ...properties.map(({ name, property }) => `${name} as ${property}`),
    ])
    .whereRef('store_id', '=', 'store.id')
    .orderBy('position');
  return sql<string>`${jsonArrayFrom(rows)}::text`.as(kind.name);
}
