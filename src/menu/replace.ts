import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { Conflict } from '../errors.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import type { Store } from '../store/entities.ts';
import { checkConfiguration, type PostedConfiguration } from './check.ts';
import type { Configuration } from './configuration.ts';
import { defaultMenuLimits, type MenuLimits } from './limits.ts';
import { readConfigurations } from './read.ts';
import { syncStatement } from './sync.ts';
import { menuTables } from './tables.ts';

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
  em: EntityManager,
  store: Store,
  { input, expectedRevision, limits = defaultMenuLimits }: Replacement,
): Promise<Configuration | null> {
  const posted = checkConfiguration(input, limits);
  return em.transactional(async tx => {
    const revision = await lockStore(tx, store.id);
    if (revision === undefined) return null;
    if (expectedRevision !== null && expectedRevision !== undefined && expectedRevision !== revision) {
      throw new Conflict(`The menu configuration is at revision ${revision}, not ${expectedRevision}.`);
    }
    const lists = menuTables.map(({ list }) => JSON.stringify(rowsOf(posted, list)));
    await tx.getKysely().executeQuery(CompiledQuery.raw(syncStatement(tx), [store.id, ...lists]));
    return (await readConfigurations(tx, [store.id])).get(store.id) ?? null;
  });
}

/**
 * Writers of one store queue on its row. A no-key lock leaves order inserts alone, whose foreign keys take a key share.
 * Statistics trail behind a large replacement: without nested loops the planner cannot pick a plan of 10,000 × 10,000.
 */
async function lockStore(em: EntityManager, storeId: string): Promise<number | undefined> {
  const statement = `
    select menu_revision::float8 as revision, set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)
    from store where id = $1 for no key update`;
  const query = CompiledQuery.raw(statement, [storeId]) as CompiledQuery<{ readonly revision: number }>;
  const { rows } = await em.getKysely().executeQuery(query);
  return rows[0]?.revision;
}

/** The rows as stored: absent lists of links are empty, stock is true unless told otherwise, and the order is kept. */
function rowsOf(posted: PostedConfiguration, list: keyof PostedConfiguration): readonly object[] {
  switch (list) {
    case 'menus':
      return posted.menus.map((row, position) => ({ categoryExternalIds: [], ...given(row), position }));
    case 'categories':
      return posted.categories.map((row, position) => ({ itemExternalIds: [], ...given(row), position }));
    case 'items':
      return posted.items.map((row, position) => ({ modifierExternalIds: [], inStock: true, ...given(row), position }));
    case 'modifierGroups':
      return posted.modifierGroups.map((row, position) => ({ modifierItemExternalIds: [], ...given(row), position }));
    case 'modifierItems':
      return posted.modifierItems.map((row, position) => ({ inStock: true, ...given(row), position }));
  }
}

function given(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
