import type { EntityManager } from '@mikro-orm/postgresql';
import { compileOnce, prepared } from '../database/query.ts';
import { queryIn, retryTransaction } from '../database/transaction.ts';
import { InvalidInput, type ValidationError } from '../errors.ts';
import type { StockInput } from '../generated/graph.ts';
import { findUnstorable } from '../input/storable.ts';
import { maxErrors } from '../input/validation-errors.ts';
import { defaultHistoryLimits, defaultMenuLimits, type HistoryLimits, type MenuLimits } from '../limits.ts';
import { runInSlices } from '../scheduling/time-slice.ts';
import type { Store } from '../store/entities.ts';
import { pruneOccasionally } from './history/repository.ts';
import { type Kind, menuKinds, tableOf } from './kinds.ts';
import { lockStore } from './replace.ts';
import { checkExternalIds, notFound } from './validate.ts';

/** The lists of `setStock`, named after the kinds of their entities. */
interface StockChanges {
  readonly items: readonly StockInput[];
  readonly modifierItems: readonly StockInput[];
}

interface StockOptions {
  /** The name of the API key, for the history. */
  readonly keyName?: string | undefined;
  readonly limits?: MenuLimits;
  readonly history?: HistoryLimits;
}

/** The parent value of `SetStockPayload`. */
export interface StockResult {
  readonly store: Store;
}

type StockKind = Kind & { readonly name: keyof StockChanges };
const stockKinds = menuKinds.filter(
  (kind): kind is StockKind => kind.name === 'items' || kind.name === 'modifierItems',
);

/**
 * Marks entities as sold out or in stock, in one transaction that also serializes with replacements. Returns the store's revision, which
 * increases if any entity changed, or null if the store no longer exists.
 */
export async function setStock(
  em: EntityManager,
  store: Store,
  { keyName, limits = defaultMenuLimits, history = defaultHistoryLimits, ...changes }: StockChanges & StockOptions,
): Promise<number | null> {
  checkLengths(changes, limits);
  const errors = [...(await runInSlices(checkExternalIds(changes))), ...checkTimes(changes, new Date())];
  const lists = stockKinds.map(kind => ({ kind, entries: withoutErrors(changes[kind.name], kind, errors) }));
  return retryTransaction(() =>
    em.transactional(async tx => {
      const query = queryIn(tx);
      const revision = await lockStore(query, store.id, { source: 'STOCK', keyName });
      if (revision === undefined) return null;
      const values = lists.map(({ entries }) => JSON.stringify(entries));
      const [row] = await query<StockRow>(stockStatement(tx), [store.id, ...values]);
      const unknown = lists.flatMap(({ kind: { name, noun }, entries }) => {
        const externalIds = new Set(row?.[name]);
        return entries
          .filter(({ externalId }) => externalIds.has(externalId))
          .map(({ externalId, index }) => notFound([name, index, 'externalId'], noun, externalId));
      });
      // Throwing rolls the changes back.
      if (errors.length + unknown.length > 0) throw new InvalidInput([...errors, ...unknown].slice(0, maxErrors));
      if (row?.revision == null) return revision;
      await pruneOccasionally(query, store.id, { limits: history, bytes: values.join().length });
      return row.revision;
    }),
  );
}

/** Comes first, because the other checks take time and memory in proportion to the length. */
function checkLengths(changes: StockChanges, { entities: limit }: MenuLimits): void {
  const errors: ValidationError[] = stockKinds
    .filter(({ name }) => changes[name].length > limit)
    .map(({ name }) => ({
      path: [name],
      type: 'too_long',
      message: `The list has ${changes[name].length} entries; at most ${limit} are allowed`,
    }));
  if (stockKinds.every(({ name }) => changes[name].length === 0)) {
    const message = 'At least one item or modifier item is required; both lists are empty';
    errors.push({ path: ['items'], type: 'missing', message });
  }
  if (errors.length > 0) throw new InvalidInput(errors);
}

function* checkTimes(changes: StockChanges, now: Date): Generator<ValidationError> {
  for (const { name } of stockKinds) {
    for (const [index, { inStock, until }] of changes[name].entries()) {
      if (!until) continue;
      const path = [name, index, 'until'];
      if (inStock) yield { path, type: 'value_error', message: 'only what is sold out is in stock again at a time' };
      if (until <= now) {
        const message = `${until.toISOString()} is not in the future; it is ${now.toISOString()} now`;
        yield { path, type: 'value_error', message };
      }
      yield* findUnstorable(until, path);
    }
  }
}

/** The entries to look up: unlike the others they are distinct, and PostgreSQL can represent them. */
function withoutErrors(list: readonly StockInput[], { name }: StockKind, errors: readonly ValidationError[]) {
  const invalid = new Set(errors.filter(({ path }) => path[0] === name).map(({ path }) => path[1]));
  return list.map((entry, index) => ({ ...entry, index })).filter(({ index }) => !invalid.has(index));
}

/** The new revision, if anything changed, and the external ids that are unknown. */
interface StockRow extends Readonly<Record<keyof StockChanges, readonly string[]>> {
  readonly revision: number | null;
}

/**
 * Puts back in stock what is due, in a transaction that has locked the store; what is gone, or back already, is left out. The statement is
 * that of `setStock`.
 */
export async function restock(tx: EntityManager, storeId: string, due: readonly StockDue[]): Promise<void> {
  const lists = stockKinds.map(({ name }) =>
    JSON.stringify(
      due.filter(({ subject }) => subject === name).map(({ externalId }) => ({ externalId, inStock: true })),
    ),
  );
  await queryIn(tx)(stockStatement(tx), [storeId, ...lists]);
}

/** An entity that is sold out until a time. */
export interface StockDue {
  readonly subject: keyof StockChanges;
  readonly externalId: string;
}

/**
 * Sets the stock of a store ($1) by JSON lists ($2, $3, in the order of `stockKinds`) and grows the revision if any row changed. Sets the time
 * of each entry at which it is in stock again, or ends the one that is set.
 */
const stockStatement = compileOnce(em => {
  const tables = stockKinds.map((kind, index) => setStockOf(em, kind, `$${index + 2}`));
  const changes = stockKinds.map(({ name }) => `exists (select from "${name} updated")`);
  const unknown = stockKinds.map(({ name }) => `array(select "externalId" from "${name} unknown") as "${name}"`);
  const given = stockKinds.map(({ name }) => `select '${name}' as subject, "externalId", until from "${name} given"`);
  return prepared(`with ${tables.join(',\n')},
    given as (${given.join(' union all ')}),
    due as (
      insert into due_time (store_id, subject, external_id, due_at)
      select $1, subject, "externalId", until from given where until is not null
      on conflict (store_id, subject, external_id) do update set due_at = excluded.due_at
    ),
    settled as (
      delete from due_time d using given g
      where d.store_id = $1 and d.subject = g.subject and d.external_id = g."externalId" and g.until is null
    ),
    revised as (
      update store set menu_revision = menu_revision + 1 where id = $1 and (${changes.join(' or ')})
      returning menu_revision::float8 as revision
    )
    select (select revision from revised), ${unknown.join(', ')}`);
});

function setStockOf(em: EntityManager, kind: StockKind, parameter: string): string {
  const list = kind.name;
  const { tableName, columns } = tableOf(em, kind);
  const column = columns.find(({ property }) => property === 'inStock')?.name;
  return `
    "${list} given" as materialized (
      select * from json_to_recordset(${parameter}::json) as g("externalId" text, "inStock" boolean, until timestamptz)
    ),
    "${list} updated" as (
      update ${tableName} t set ${column} = g."inStock" from "${list} given" g
      where t.store_id = $1 and t.external_id = g."externalId" and t.${column} <> g."inStock"
      returning 1
    ),
    "${list} unknown" as (
      select g."externalId" from "${list} given" g
      where not exists (select from ${tableName} t where t.store_id = $1 and t.external_id = g."externalId")
    )`;
}
