import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { MenuChangeSource } from '../../generated/graph.ts';
import { StoreEntity } from '../../store/entities.ts';

/**
 * What one statement changed in the rows of one menu table, and how to undo it. Triggers write it with the change
 * (schema/sql/menu-history.sql).
 */
export const MenuHistoryEntity = defineEntity({
  name: 'MenuHistory',
  tableName: 'menu_history',
  properties: {
    storeId: p.text().primary().collation('C'),
    revision: p.bigint('number').primary(),
    /** In the order of the changes. */
    id: p.bigint('number').primary().autoincrement(),
    createdAt: p.datetime(3),
    source: p.text().$type<MenuChangeSource>(),
    /** Absent if no API key was used. */
    keyName: p.text().nullable(),
    /** The name of the table; absent where the history began. */
    kind: p.text().nullable(),
    insertedIds: p.array().columnType('bigint[]').$type<readonly number[]>().nullable(),
    /** Rows as they were before they were updated or deleted. */
    oldRows: p.json<readonly object[]>().columnType('json').nullable(),
    /** Ids and positions of the rows of which nothing else was updated. */
    oldPositions: p.json<readonly (readonly [id: number, position: number])[]>().columnType('json').nullable(),
    /** Numbers of entities; those that only moved are not counted. */
    added: p.integer().default(0),
    changed: p.integer().default(0),
    removed: p.integer().default(0),
    /** Size of the old rows and positions, before compression. */
    bytes: p.integer().default(0),
  },
});

/** The first revision of a history of which some were deleted; a trigger writes it. */
export const MenuHistoryStartEntity = defineEntity({
  name: 'MenuHistoryStart',
  tableName: 'menu_history_start',
  properties: {
    store: () => p.manyToOne(StoreEntity).mapToPk().primary().deleteRule('cascade').index(false),
    revision: p.bigint('number'),
  },
});

export type MenuHistory = InferEntity<typeof MenuHistoryEntity>;

/** By what a menu configuration is changed; the triggers of the history read it from the settings of the transaction. */
export interface ChangeOrigin {
  readonly source?: Exclude<MenuChangeSource, 'UNKNOWN'> | undefined;
  /** Absent if no API key is used. */
  readonly keyName?: string | undefined;
}

/**
 * SQL of the oldest revision that is retained of a store, by the limits that need no reading of changes. Null if the store has no history.
 * Revisions are times in microseconds (docs/decisions/0011), so the index finds the one that was current when the period began.
 */
export function oldestRetained(storeId: string, revisions: string, days: string): string {
  const ofStore = `from menu_history where store_id = ${storeId}`;
  const period = `(extract(epoch from now()) * 1000000)::bigint - ${days}::bigint * 86400000000`;
  return `greatest(
    (select min(revision) ${ofStore}),
    (select distinct revision ${ofStore} order by revision desc offset ${revisions}::int - 1 limit 1),
    (select max(revision) ${ofStore} and revision <= ${period}))`;
}
