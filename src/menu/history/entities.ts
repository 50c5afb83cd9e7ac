import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { StoreEntity } from '../../store/entities.ts';

/** How a menu configuration came to be changed; `UNKNOWN` is the state in which the history began. */
export const changeSources = ['POST', 'MUTATION', 'STOCK', 'RESTORE', 'DEMO', 'SQL', 'UNKNOWN'] as const;
export type ChangeSource = (typeof changeSources)[number];

/** A revision of a store's menu configuration. Triggers write it with the change (database/migrations/0010-menu-history.ts). */
export const MenuHistoryEntity = defineEntity({
  name: 'MenuHistory',
  tableName: 'menu_history',
  properties: {
    store: () => p.manyToOne(StoreEntity).mapToPk().primary().deleteRule('cascade').index(false),
    revision: p.bigint('number').primary(),
    createdAt: p.datetime(3),
    source: p.text().$type<ChangeSource>(),
    /** Absent if no API key was used. */
    keyName: p.text().nullable(),
  },
});

/** How to undo what one statement changed in the rows of one table, and how many entities that were. */
export const MenuChangeEntity = defineEntity({
  name: 'MenuChange',
  tableName: 'menu_change',
  indexes: [{ name: 'menu_change_of_revision', properties: ['store', 'revision'] }],
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    store: () => p.manyToOne(StoreEntity).mapToPk().deleteRule('cascade').index(false),
    revision: p.bigint('number'),
    /** The name of the table. */
    kind: p.text(),
    insertedIds: p.array().columnType('bigint[]').$type<readonly number[]>().nullable(),
    /** Rows as they were before they were updated or deleted. */
    oldRows: p.json<readonly object[]>().columnType('json').nullable(),
    /** Ids and positions of the rows of which nothing else was updated. */
    oldPositions: p.json<readonly (readonly [id: number, position: number])[]>().columnType('json').nullable(),
    added: p.integer(),
    changed: p.integer(),
    removed: p.integer(),
    /** Size of the old rows and positions, before compression. */
    bytes: p.integer(),
  },
});

export type MenuHistory = InferEntity<typeof MenuHistoryEntity>;
