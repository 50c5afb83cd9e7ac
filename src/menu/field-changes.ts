import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { runInSlices } from '@carte/base/time-slice';
import { findUnstorable, maxErrors } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { compileOnce, prepared, queryIn } from '../database/query.ts';
import type { StockInput } from '../generated/graph.ts';
import type { MenuLimits } from '../limits.ts';
import type { Store } from '../store/entities.ts';
import type { ConfigurationRows } from './configuration.ts';
import type { ChangeOrigin } from './history/entities.ts';
import { pruneOccasionally } from './history/repository.ts';
import { type Kind, menuKinds, tableOf } from './kinds.ts';
import { type ChangeOptions, changeMenu, type Written } from './replace.ts';
import type { SoldOutRow } from './repository.ts';
import { checkExternalIds, notFound } from './validate.ts';

type ListName = SoldOutRow['subject'];

/** Values of single entities by external id, in lists named after their kinds. A property that is absent or null stays as it is. */
type FieldChanges<Entry = { readonly externalId: string }> = Readonly<Record<ListName, readonly Entry[]>>;

type ChangedKind = Kind & { readonly name: ListName };
const changedKinds = menuKinds.filter(
  (kind): kind is ChangedKind => kind.name === 'items' || kind.name === 'modifierItems',
);

export const changePrices = (em: EntityManager, store: Store, changes: FieldChanges & ChangeOptions) =>
  changeFields(em, store, { ...changes, source: 'PRICES', statement: priceStatement, found: [] });

export const setStock = (em: EntityManager, store: Store, changes: FieldChanges<StockInput> & ChangeOptions) =>
  changeFields(em, store, {
    ...changes,
    source: 'STOCK',
    statement: stockStatement,
    found: [...checkTimes(changes, new Date())],
  });

interface FieldChange extends FieldChanges, ChangeOptions {
  readonly source: ChangeOrigin['source'];
  /** Its parameters are the id of the store, and two lists as JSON in the order of `changedKinds`. */
  readonly statement: (em: EntityManager) => string;
  /** Errors to report with the others. */
  readonly found: readonly ValidationError[];
}

/**
 * Changes some properties of single entities, in one transaction that also serializes with replacements. Returns the revision of the store,
 * which increases if any entity changed, or null if the store no longer exists.
 */
async function changeFields(
  em: EntityManager,
  store: Store,
  { source, statement, found, keyName, expectedMenuRevision, limits, history, ...changes }: FieldChange,
): Promise<Written | null> {
  checkLengths(changes, limits);
  const errors = [...(await runInSlices(checkExternalIds(changes))), ...found];
  const lists = changedKinds.map(kind => ({ kind, entries: withoutErrors(changes[kind.name], kind, errors) }));
  return changeMenu(em, store.id, { source, keyName, expectedMenuRevision }, async (tx, current) => {
    const query = queryIn(tx);
    const values = lists.map(({ entries }) => JSON.stringify(entries));
    const [row] = await query<ChangeRow>(statement(tx), [store.id, ...values]);
    const unknown = lists.flatMap(({ kind: { name, noun }, entries }) => {
      const externalIds = new Set(row?.[name]);
      return entries
        .filter(({ externalId }) => externalIds.has(externalId))
        .map(({ externalId, index }) => notFound([name, index, 'externalId'], noun, externalId));
    });
    // Throwing rolls the changes back.
    if (errors.length + unknown.length > 0) throw new InvalidInput([...errors, ...unknown].slice(0, maxErrors));
    if (row?.revision == null) return { revision: current };
    await pruneOccasionally(query, store.id, history, values.join().length);
    return { revision: row.revision };
  });
}

function* checkTimes(changes: FieldChanges<StockInput>, now: Date): Generator<ValidationError> {
  for (const { name } of changedKinds) {
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

/** Comes first, because the other checks take time and memory in proportion to the length. */
function checkLengths(changes: FieldChanges, { entities: limit }: MenuLimits): void {
  const errors: ValidationError[] = changedKinds
    .filter(({ name }) => changes[name].length > limit)
    .map(({ name }) => ({
      path: [name],
      type: 'too_long',
      message: `The list has ${changes[name].length} entries; at most ${limit} are allowed`,
    }));
  if (changedKinds.every(({ name }) => changes[name].length === 0)) {
    const message = 'At least one item or modifier item is required; both lists are empty';
    errors.push({ path: ['items'], type: 'missing', message });
  }
  if (errors.length > 0) throw new InvalidInput(errors);
}

/** The entries to look up: unlike the others they are distinct, and PostgreSQL can represent them. */
function withoutErrors(list: FieldChanges[ListName], { name }: ChangedKind, errors: readonly ValidationError[]) {
  const invalid = new Set(errors.filter(({ path }) => path[0] === name).map(({ path }) => path[1]));
  return list.map((entry, index) => ({ ...entry, index })).filter(({ index }) => !invalid.has(index));
}

/** The new revision, if anything changed, and the external ids that are unknown. */
interface ChangeRow extends Readonly<Record<ListName, readonly string[]>> {
  readonly revision: number | null;
}

interface StatementOptions {
  /** The properties of each kind that a change sets. */
  readonly properties: { readonly [Name in ListName]: readonly (keyof ConfigurationRows[Name][number] & string)[] };
  /** Further fields of the entries with their SQL types, for `furtherChanges`. */
  readonly furtherFields?: readonly string[];
  /** Further common table expressions, on those that are named after the lists: `"items given"`. */
  readonly furtherChanges?: string;
}

/** Compiles the statement that changes entities of a store ($1) by JSON lists ($2, $3) and grows the revision if any row changed. */
const compileChange = (options: StatementOptions) =>
  compileOnce(em => {
    const tables = changedKinds.map((kind, index) => changeTable(em, kind, `$${index + 2}`, options));
    const changes = changedKinds.map(({ name }) => `exists (select from "${name} updated")`);
    const unknown = changedKinds.map(({ name }) => `array(select "externalId" from "${name} unknown") as "${name}"`);
    return prepared(`with ${tables.join(',\n')},
    ${options.furtherChanges ?? ''}
    revised as (
      update store set menu_revision = menu_revision + 1 where id = $1 and (${changes.join(' or ')})
      returning menu_revision::float8 as revision
    )
    select (select revision from revised), ${unknown.join(', ')}`);
  });

function changeTable(em: EntityManager, kind: ChangedKind, parameter: string, options: StatementOptions): string {
  const list = kind.name;
  const { tableName, columns: all } = tableOf(em, kind);
  const columns = all.filter(({ property }) => options.properties[list].some(name => name === property));
  // By the index also where nested loops are off, as in all changes of menus: a change costs its entries, not the menu.
  const isGiven = `t.store_id = $1 and t.external_id = any(array(select "externalId" from "${list} given"))`;
  const given = [
    '"externalId" text',
    ...columns.map(({ property, type }) => `"${property}" ${type}`),
    ...(options.furtherFields ?? []),
  ];
  return `
    "${list} given" as materialized (
      select * from json_to_recordset(${parameter}::json) as g(${given.join(', ')})
    ),
    "${list} updated" as (
      update ${tableName} t
      set ${columns.map(({ name, property }) => `${name} = coalesce(g."${property}", t.${name})`).join(', ')}
      from "${list} given" g
      where ${isGiven} and t.external_id = g."externalId"
        and (${columns.map(({ name, property }) => `t.${name} <> g."${property}"`).join(' or ')})
      returning 1
    ),
    "${list} unknown" as (
      select "externalId" from "${list} given" except select t.external_id from ${tableName} t where ${isGiven}
    )`;
}

const priceStatement = compileChange({
  properties: { items: ['price', 'tax'], modifierItems: ['priceChange', 'taxChange'] },
});

const given = changedKinds.map(({ name }) => `select '${name}' as subject, "externalId", until from "${name} given"`);

/** Sets the time of each entry at which it is in stock again, or ends the one that is set. */
const stockStatement = compileChange({
  properties: { items: ['inStock'], modifierItems: ['inStock'] },
  furtherFields: ['"until" timestamptz'],
  furtherChanges: `
    given as (${given.join(' union all ')}),
    due as (
      insert into due_time (store_id, subject, external_id, due_at)
      select $1, subject, "externalId", until from given where until is not null
      on conflict (store_id, subject, external_id) do update set due_at = excluded.due_at
    ),
    settled as (
      delete from due_time d using given g
      where d.store_id = $1 and d.subject = g.subject and d.external_id = g."externalId" and g.until is null
    ),`,
});

/**
 * Puts back in stock what is due, in a transaction that has locked the store; what is gone, or back already, is left out. The statement is
 * that of `setStock`.
 */
export async function restock(tx: EntityManager, storeId: string, due: readonly StockDue[]): Promise<void> {
  const lists = changedKinds.map(({ name }) =>
    JSON.stringify(
      due.filter(({ subject }) => subject === name).map(({ externalId }) => ({ externalId, inStock: true })),
    ),
  );
  await queryIn(tx)(stockStatement(tx), [storeId, ...lists]);
}

export type StockDue = Pick<SoldOutRow, 'subject' | 'externalId'>;
