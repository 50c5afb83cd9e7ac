import type { MetadataStorage } from '@mikro-orm/core';
import { Conflict } from '../errors.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import { retryCollisions } from '../retry.ts';
import { prepared, type Query, type Transact } from '../statement.ts';
import type { Store } from '../store/entities.ts';
import { checkConfiguration, type PostedConfiguration } from './check.ts';
import type { Configuration } from './configuration.ts';
import { defaultMenuLimits, type MenuLimits } from './limits.ts';
import { readConfigurations } from './read.ts';
import { syncStatement } from './sync.ts';
import { menuTables } from './tables.ts';

/** Where configurations are written. */
export interface MenuDatabase {
  readonly transact: Transact;
  readonly metadata: MetadataStorage;
}

export interface Replacement {
  readonly input: MenuConfigurationInput;
  /** The revision that the writer has seen; anything goes without it. */
  readonly expectedRevision?: number | null | undefined;
  readonly limits?: MenuLimits;
}

/** What a replacement has left. */
export interface Replaced {
  readonly store: Store;
  readonly revision: number;
}

/**
 * Makes a store's configuration equal to the input, in one transaction; an equal one stays untouched, revision
 * included. Answers the configuration that this call has left, or null when the store is gone.
 */
export async function replaceMenuConfiguration(
  { transact, metadata }: MenuDatabase,
  store: Store,
  { input, expectedRevision, limits = defaultMenuLimits }: Replacement,
): Promise<Configuration | null> {
  const posted = checkConfiguration(input, limits);
  return retryCollisions(() =>
    transact(async query => {
      const revision = await lockStore(query, store.id);
      if (revision === undefined) return null;
      if (expectedRevision !== null && expectedRevision !== undefined && expectedRevision !== revision) {
        throw new Conflict(`The menu configuration is at revision ${revision}, not ${expectedRevision}.`);
      }
      // As bytes: a statement's values are held until it is done, and texts with other than Latin letters take twice as much.
      const lists = menuTables.map(({ list }) => Buffer.from(JSON.stringify(rowsOf(posted, list))));
      await query(syncStatement(metadata), [store.id, ...lists]);
      return (await readConfigurations(query, metadata, [store.id])).get(store.id) ?? null;
    }),
  );
}

/**
 * Writers of one store queue on its row. A no-key lock leaves order inserts alone, whose foreign keys take a key share.
 * What follows is planned once, and statistics trail behind a large replacement: without nested loops no plan is one of
 * 10,000 × 10,000, and without sequential scans one that was made for a single store serves for thousands.
 */
const lockStatement = prepared(`
  select menu_revision::float8 as revision, set_config('enable_nestloop', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
  from store where id = $1 for no key update`);

async function lockStore(query: Query, storeId: string): Promise<number | undefined> {
  const rows = await query<{ readonly revision: number }>(lockStatement, [storeId]);
  return rows[0]?.revision;
}

/** The rows as stored: absent lists of links are empty, stock is true unless told otherwise, and the order is kept. */
function rowsOf(posted: PostedConfiguration, list: keyof PostedConfiguration): readonly object[] {
  switch (list) {
    case 'menus':
      return posted.menus.map((row, position) => {
        return { ...row, categoryExternalIds: row.categoryExternalIds ?? [], position };
      });
    case 'categories':
      return posted.categories.map((row, position) => {
        return { ...row, itemExternalIds: row.itemExternalIds ?? [], position };
      });
    case 'items':
      return posted.items.map((row, position) => {
        return { ...row, modifierExternalIds: row.modifierExternalIds ?? [], inStock: row.inStock ?? true, position };
      });
    case 'modifierGroups':
      return posted.modifierGroups.map((row, position) => {
        return { ...row, modifierItemExternalIds: row.modifierItemExternalIds ?? [], position };
      });
    case 'modifierItems':
      return posted.modifierItems.map((row, position) => ({ ...row, inStock: row.inStock ?? true, position }));
  }
}
