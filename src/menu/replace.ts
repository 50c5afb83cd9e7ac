import type { EntityManager } from '@mikro-orm/postgresql';
import { prepared, type Query } from '../database/query.ts';
import { queryIn, retryTransaction } from '../database/transaction.ts';
import { Conflict } from '../errors.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import type { Store } from '../store/entities.ts';
import { checkConfiguration, type PostedConfiguration } from './check.ts';
import type { Configuration } from './configuration.ts';
import { menuKinds, type NamedKind } from './kinds.ts';
import { defaultMenuLimits, type MenuLimits } from './limits.ts';
import { readConfigurations } from './repository.ts';
import { syncText } from './sync.ts';

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
  return retryTransaction(() =>
    em.transactional(async tx => {
      const query = queryIn(tx);
      const revision = await lockStore(query, store.id);
      if (revision === undefined) return null;
      if (expectedRevision !== null && expectedRevision !== undefined && expectedRevision !== revision) {
        throw new Conflict(`The menu configuration is at revision ${revision}, not ${expectedRevision}.`);
      }
      // As bytes: values are held until their statement ends, and texts with other than Latin letters take twice as much.
      const lists = menuKinds.map(kind => Buffer.from(JSON.stringify(rowsOf(posted, kind))));
      await query(syncText(tx), [store.id, ...lists]);
      return (await readConfigurations(query, tx, [store.id])).get(store.id) ?? null;
    }),
  );
}

/**
 * Writers of one store queue on its row. A no-key lock leaves order inserts alone, whose foreign keys take a key share.
 * What follows is planned once, and statistics trail behind a large replacement: without nested loops no plan is one of
 * 10,000 × 10,000, and without sequential scans one that was made for a single store serves for thousands.
 */
const lockText = prepared(`
  select menu_revision::float8 as revision, set_config('enable_nestloop', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
  from store where id = $1 for no key update`);

async function lockStore(query: Query, storeId: string): Promise<number | undefined> {
  const rows = await query<{ readonly revision: number }>(lockText, [storeId]);
  return rows[0]?.revision;
}

/** The rows as they are stored, in posted order. */
function rowsOf(posted: PostedConfiguration, { name, defaults }: NamedKind): readonly object[] {
  return posted[name].map((row: object, position) => {
    const values: Record<string, unknown> = { ...row, position };
    for (const property in defaults) values[property] ??= defaults[property];
    return values;
  });
}
