import { Conflict, Unavailable } from '@carte/base/errors';
import { memoize } from '@carte/base/memoize';
import { runInSlices, type Steps } from '@carte/base/time-slice';
import type { EntityManager } from '@mikro-orm/postgresql';
import { compileOnce, prepared, type Query, queryIn, retryTransaction } from '../database/query.ts';
import { defaultHistoryLimits, defaultMenuLimits, type HistoryLimits, type MenuLimits } from '../limits.ts';
import { FairQueue } from '../scheduling/fair-queue.ts';
import type { Store } from '../store/entities.ts';
import type { Configuration } from './configuration.ts';
import type { ChangeOrigin } from './history/entities.ts';
import { pruneOccasionally } from './history/repository.ts';
import {
  type Column,
  type ConfigurationInput,
  isPosted,
  type Kind,
  menuKinds,
  type PostedConfiguration,
  tableOf,
  withDefaults,
} from './kinds.ts';
import { findOrderable } from './repository.ts';
import { validateConfiguration } from './validate.ts';

export interface ChangeOptions extends Pick<ChangeOrigin, 'keyName'> {
  /** Optimistic lock: the change conflicts unless this is the current revision; absent or null skips the check. */
  readonly expectedMenuRevision?: number | null | undefined;
  readonly limits: MenuLimits;
  readonly history: HistoryLimits;
}

interface Replacement extends Partial<ChangeOptions>, ChangeOrigin {
  readonly input: ConfigurationInput;
}

/** The result of a change: the configuration that it has read back, or only its revision. */
export type Written = Configuration | Pick<Configuration, 'revision'>;

/** The parent value of the payloads of changes. */
export interface ChangedMenu {
  readonly store: Store;
  readonly revision: number;
}

/**
 * Replaces a store's configuration in one transaction; an equal configuration keeps its revision. Returns the configuration
 * as of this transaction, or null if the store no longer exists.
 */
export async function replaceMenuConfiguration(
  em: EntityManager,
  store: Store,
  { input, limits = defaultMenuLimits, history = defaultHistoryLimits, ...options }: Replacement,
): Promise<Configuration | null> {
  const posted = await runInSlices(validateConfiguration(input, limits));
  return rewriteMenu(em, store, { ...options, history }, async () => posted);
}

/**
 * Runs a change in a transaction that has locked the store, whose revision it gets; null if the store no longer exists. Throws `Conflict` if
 * another revision is expected.
 */
export function changeMenu<Result>(
  em: EntityManager,
  storeId: string,
  { expectedMenuRevision, ...origin }: ChangeOrigin & Pick<ChangeOptions, 'expectedMenuRevision'>,
  change: (tx: EntityManager, current: number) => Promise<Result | null>,
): Promise<Result | null> {
  const write = () =>
    em.transactional(async tx => {
      const current = await lockStore(queryIn(tx), storeId, origin);
      if (current === undefined) return null;
      if (expectedMenuRevision != null && expectedMenuRevision !== current) {
        // Whoever may read the current revision finds it there.
        throw new Conflict(`The menu configuration is no longer at revision ${expectedMenuRevision}.`);
      }
      return change(tx, current);
    });
  return writersOf(em.getMetadata()).run(storeId, () => retryTransaction(write));
}

/**
 * The queue of an ORM in which writers of one store's configuration wait for each other without a connection. Those who change something else in the row of
 * the store, as a pause does, wait in the database, and so for the writer that is in it alone.
 */
const writersOf = memoize(
  (_metadata: object) =>
    new FairQueue({
      width: Number.POSITIVE_INFINITY,
      perKey: 1,
      maxWaiting: 1_000,
      maxWaitMs: 60_000,
      createError: () =>
        new Unavailable('The menu of the store has other changes to wait for.', { retryAfterSeconds: 1 }),
    }),
);

/** Runs a change that writes a validated configuration, unless none is found, and reads it back. */
export function rewriteMenu(
  em: EntityManager,
  { id }: Store,
  { history, ...options }: ChangeOrigin & Pick<ChangeOptions, 'expectedMenuRevision' | 'history'>,
  findPosted: (tx: EntityManager) => Promise<PostedConfiguration | null>,
): Promise<Configuration | null> {
  return changeMenu(em, id, options, async (tx, current) => {
    const posted = await findPosted(tx);
    if (!posted) return null;
    const query = queryIn(tx);
    // Buffers, because parameters stay in memory until their statement ends, and non-Latin strings take twice as much.
    const lists = await runInSlices(toLists(posted));
    await query(replaceStatement(tx), [id, ...lists]);
    const [found] = await findOrderable(query, tx, [id]);
    if (found && found.configuration.revision !== current) {
      const bytes = lists.reduce((total, list) => total + list.length, 0);
      await pruneOccasionally(query, id, history, bytes);
    }
    return found?.configuration ?? null;
  });
}

/**
 * Serializes the writers of a store's configuration, and sets what the triggers of its history record. `for no key update` does not block inserts of orders, whose foreign keys take
 * `for key share`. The planner settings guard the cached plan of the next statement: statistics are stale during a large
 * replacement, where a nested loop would take 10,000 × 10,000 steps, and a plan cached for a table with one store must
 * serve thousands of stores without a sequential scan. Where stores differ in size, PostgreSQL would plan it anew each time, which takes a
 * quarter of the time of a small replacement.
 */
const lockStatement = prepared(`
  select menu_revision::float8 as revision, set_config('enable_nestloop', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('carte.change_source', $2, true), set_config('carte.key_name', $3, true)
  from store where id = $1 for no key update`);

export async function lockStore(query: Query, storeId: string, origin: ChangeOrigin): Promise<number | undefined> {
  const values = [storeId, origin.source ?? '', origin.keyName ?? ''];
  const rows = await query<{ readonly revision: number }>(lockStatement, values);
  return rows[0]?.revision;
}

/** Rows of a list that are written in one step, which takes some 0.1 ms. */
const rowsPerStep = 32;

/** The five lists to store as JSON, in posted order. */
function* toLists(posted: PostedConfiguration): Steps<readonly Buffer[]> {
  const lists: Buffer[] = [];
  for (const kind of menuKinds) {
    // Encoded one by one: a whole list would take 10 ms.
    const parts = [Buffer.from('[')];
    for (let start = 0; start < posted[kind.name].length; start += rowsPerStep) {
      const rows = posted[kind.name]
        .slice(start, start + rowsPerStep)
        .map((entity: object, index) => Object.assign(withDefaults(kind, entity), { position: start + index }));
      parts.push(Buffer.from((start > 0 ? ',' : '') + JSON.stringify(rows).slice(1, -1)));
      yield;
    }
    parts.push(Buffer.from(']'));
    lists.push(Buffer.concat(parts));
  }
  return lists;
}

/**
 * Makes all rows of a store ($1) equal to five JSON lists ($2 to $6, in the order of `menuKinds`) and grows the
 * revision, which a trigger sets to the time, if any row changed. It inserts only rows that are new, since `on conflict` would draw a sequence value for
 * every row. What was sold out until a time is as posted from now on.
 */
const replaceStatement = compileOnce(em => {
  const tables = menuKinds.map((kind, index) => replaceTable(em, kind, `$${index + 2}`));
  const changes = menuKinds.flatMap(({ name }) =>
    ['deleted', 'updated', 'inserted'].map(change => `exists (select from "${name} ${change}")`),
  );
  return prepared(`with ${tables.join(',\n')},
    settled as (delete from due_time where store_id = $1 and subject <> 'ordering')
    update store set menu_revision = menu_revision + 1 where id = $1 and (${changes.join(' or ')})`);
});

function replaceTable(em: EntityManager, kind: Kind, parameter: string): string {
  const list = kind.name;
  const { tableName, columns: all } = tableOf(em, kind);
  const columns = all.filter(column => isPosted(kind, column.property));
  // All of them: what is not posted is null, unless a removed entity is restored.
  const names = all.map(column => column.name).join(', ');
  const posted = all.map(column => `p."${column.property}"`).join(', ');
  return `
    "${list} posted" as materialized (
      select * from json_to_recordset(${parameter}::json)
        as p("externalId" text, ${all.map(column => `"${column.property}" ${column.type}`).join(', ')})
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

/** Compares `json` as text, which preserves the order of keys; the type itself has no equality operator. */
function differs({ property, name, type }: Column): string {
  const cast = type === 'json' ? '::text' : '';
  return `t.${name}${cast} is distinct from p."${property}"${cast}`;
}
