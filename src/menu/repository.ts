import { runInSlices, TimeSlice } from '@carte/base/time-slice';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { LRUCache } from 'lru-cache';
import { parseJsonList } from '../database/json-list.ts';
import type { ReadAccess } from '../database/pool.ts';
import { compileOnce, prepared, type Query, queryIn } from '../database/query.ts';
import type { Store } from '../store/entities.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration } from './configuration.ts';
import { type Kind, type KindName, kindOf, menuKinds, tableOf } from './kinds.ts';

export type MenuRepository = ReturnType<typeof createMenuRepository>;

export function createMenuRepository({ em, query }: ReadAccess) {
  // One for all requests of the process. A request may take a configuration only after it has loaded the store, in its scope.
  const cache = createConfigurationCache();
  return {
    /** Finds configurations by store id. */
    findConfigurations: async (storeIds: readonly string[]): Promise<ReadonlyMap<string, Configuration>> => {
      const found = await findOrderable(query, em, storeIds, cache);
      return new Map(found.map(({ configuration }) => [configuration.storeId, configuration]));
    },
    /** Finds where entities of a kind are, by their numbers. */
    findPlaces: (kind: KindName, numericIds: readonly number[]) => query<Place>(selectPlaces(kind), [numericIds]),
    /** Finds what is sold out until a time, the next one first. */
    findSoldOut: (storeIds: readonly string[]) => query<SoldOutRow>(soldOutStatement, [storeIds]),
    /** Reads in a transaction, which must not have changed the menu; undefined if the store is gone. */
    findOrderableIn: async (tx: EntityManager, storeId: string): Promise<Orderable | undefined> => {
      const [found] = await findOrderable(queryIn(tx), tx, [storeId], cache);
      return found;
    },
  };
}

/** What can be ordered: a configuration, with what the same statement reads of its store. */
export interface Orderable extends Pick<Store, 'ordering' | 'guestOrders' | 'preparationMinutes'> {
  readonly configuration: Configuration;
}

/** Lists as JSON, or null if the store has the revision that is known. */
type ConfigurationRow = Readonly<Record<keyof ConfigurationRows, string | null>> & {
  readonly id: string;
  readonly menu_revision: number;
  readonly ordering: Store['ordering'];
  readonly guest_orders: boolean;
  readonly preparation_minutes: number;
};

/**
 * Reads configurations by store id in one statement, and so from one snapshot: no reader sees parts of two revisions. Of a store whose
 * configuration is in the cache, it reads the revision, and the rest only if that is another one: revisions are never used twice, also if the
 * store is deleted and created again, or the database restored (docs/decisions/0011). In a transaction that has changed the menu there must be no
 * cache, since the same revision may have other contents when it is committed.
 */
export async function findOrderable(
  query: Query,
  em: EntityManager,
  storeIds: readonly string[],
  cache?: ConfigurationCache,
): Promise<Orderable[]> {
  // The cache may drop them while the statement runs.
  const known = new Map(storeIds.map(id => [id, cache?.get(id)]));
  const revisions = Object.fromEntries(Array.from(known, ([id, configuration]) => [id, configuration?.revision]));
  const [statement, ids] = storeIds.length === 1 ? [selectOne(em), storeIds[0]] : [selectSeveral(em), storeIds];
  const rows = await query<ConfigurationRow>(statement, [ids, JSON.stringify(revisions)]);
  const found: Orderable[] = [];
  const slice = new TimeSlice();
  for (const { ordering, guest_orders: guestOrders, preparation_minutes: preparationMinutes, ...row } of rows) {
    const { id, menu_revision: revision } = row;
    // A concurrent reader may have linked the same rows meanwhile.
    const current = [known.get(id), cache?.get(id)].find(configuration => configuration?.revision === revision);
    const configuration = current ?? (await readConfiguration(row, slice, cache));
    found.push({ configuration, ordering, guestOrders, preparationMinutes });
  }
  return found;
}

/** Parses and links a configuration, at once if it is small. */
async function readConfiguration(
  {
    id,
    menu_revision: revision,
    ...lists
  }: Omit<ConfigurationRow, 'ordering' | 'guest_orders' | 'preparation_minutes'>,
  slice: TimeSlice,
  cache: ConfigurationCache | undefined,
): Promise<Configuration> {
  const parsed: [string, unknown][] = [];
  let length = 0;
  for (const [name, list] of Object.entries(lists)) {
    const text = list ?? '[]';
    length += text.length;
    parsed.push([name, await runInSlices(parseJsonList(text), slice)]);
  }
  const rows: ConfigurationRows = Object.fromEntries(parsed) as Record<keyof ConfigurationRows, never>;
  const configuration = await runInSlices(linkConfiguration(id, revision, rows), slice);
  cache?.set(configuration, length);
  return configuration;
}

// PostgreSQL caches the plan for one id; for a list, whose length it depends on, it makes a new one each time.
const selectOne = compileOnce(em => selectStatement(em, sql`$1`));
const selectSeveral = compileOnce(em => selectStatement(em, sql`any($1)`));

function selectStatement(em: EntityManager, storeId: RawBuilder<unknown>): string {
  // biome-ignore lint/suspicious/noExplicitAny: tables and columns come from metadata, at run time
  const kysely: Kysely<any> = em.getKysely();
  const { sql: text } = kysely
    .selectFrom('store')
    .select([
      'id',
      'menu_revision',
      'ordering',
      'guest_orders',
      'preparation_minutes',
      ...menuKinds.map(kind => selectList(em, kysely, kind)),
    ])
    .where('id', '=', storeId)
    .compile();
  return prepared(text);
}

// No join: its plan, which is cached, may be made in a replacement, where the planner must not use nested loops.
const isUnknown = sql`store.menu_revision is distinct from ($2::jsonb ->> store.id)::bigint`;

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
  return sql<string | null>`case when ${isUnknown} then ${jsonArrayFrom(rows)}::text end`.as(kind.name);
}

/** The store and the external id of an entity. */
export interface Place {
  readonly numericId: number;
  readonly storeId: string;
  readonly externalId: string;
}

const selectPlaces = (kind: KindName) =>
  prepared(
    `select id as "numericId", store_id as "storeId", external_id as "externalId" from ${kindOf(kind).entity.meta.tableName} where id = any($1)`,
  );

/** An entity of a store that is in stock again at a time. */
export interface SoldOutRow {
  readonly storeId: string;
  readonly subject: 'items' | 'modifierItems';
  readonly externalId: string;
  readonly until: Date;
}

const soldOutStatement = prepared(`
  select store_id as "storeId", subject, external_id as "externalId", due_at as until from due_time
  where store_id = any($1) and subject <> 'ordering' order by due_at, subject, external_id`);

/** Characters of JSON. A linked configuration takes about two bytes of heap for each, so some 60 MB in all, or 80,000 entities. */
const maxSize = 32 * 1024 * 1024;
/** Counted for every configuration, so that very many empty ones are bounded, too. */
const sizeOfEmpty = 1000;

type ConfigurationCache = ReturnType<typeof createConfigurationCache>;

/** The last configuration that was read of each store; whoever takes one compares its revision with the store's first. */
export function createConfigurationCache() {
  const cache = new LRUCache<string, Configuration>({ maxSize });
  return {
    get: (storeId: string) => cache.get(storeId),
    /** `length` is the number of characters of its JSON. */
    set: (configuration: Configuration, length: number) =>
      void cache.set(configuration.storeId, configuration, { size: sizeOfEmpty + length }),
  };
}
