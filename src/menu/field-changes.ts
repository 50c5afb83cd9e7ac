import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { runInSlices } from '@carte/base/time-slice';
import { maxErrors } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { compileOnce, prepared, queryIn } from '../database/query.ts';
import { defaultHistoryLimits, defaultMenuLimits, type MenuLimits } from '../limits.ts';
import type { Store } from '../store/entities.ts';
import type { ConfigurationRows } from './configuration.ts';
import type { ChangeOrigin } from './history/entities.ts';
import { pruneOccasionally } from './history/repository.ts';
import { type Column, type Kind, menuKinds, tableOf } from './kinds.ts';
import { type ChangeOptions, changeMenu } from './replace.ts';
import { checkExternalIds, notFound } from './validate.ts';

export type ListName = 'items' | 'modifierItems';

/** The properties of each kind that a change sets. */
type Properties = { readonly [Name in ListName]: readonly (keyof ConfigurationRows[Name][number] & string)[] };

/** Values of single entities by external id, in lists named after their kinds. A property that is absent or null stays as it is. */
export type FieldChanges<Entry extends { readonly externalId: string } = { readonly externalId: string }> = Readonly<
  Record<ListName, readonly Entry[]>
>;

interface Definition {
  readonly properties: Properties;
  /** Further fields of the entries with their SQL types, for `furtherChanges`. */
  readonly furtherFields?: Readonly<Record<string, string>>;
  /** Further common table expressions, on those that are named after the lists: `"items given"`. */
  readonly furtherChanges?: string;
}

export interface FieldChangeOptions extends ChangeOptions {
  /** The name of the API key, for the history. */
  readonly keyName?: string | undefined;
}

/** The parent value of the payloads. */
export interface ChangedStore {
  readonly store: Store;
}

type ChangedKind = Kind & { readonly name: ListName };
/** The kinds of the lists. */
export const changedKinds = menuKinds.filter(
  (kind): kind is ChangedKind => kind.name === 'items' || kind.name === 'modifierItems',
);

/** Returns the revision of the store, which increases if any entity changed, or null if the store no longer exists. */
type FieldChange = (
  em: EntityManager,
  store: Store,
  /** `found` are errors to report with the others. */
  options: FieldChanges & FieldChangeOptions & { readonly found?: readonly ValidationError[] },
) => Promise<number | null>;

/** Compiles the statement of a change: its parameters are the id of the store, and two lists as JSON in the order of `changedKinds`. */
export const compileChange = (definition: Definition) => compileOnce(em => changeStatement(em, definition));

/** Creates a change of some properties of single entities, in one transaction that also serializes with replacements. */
export function createFieldChange(
  source: ChangeOrigin['source'],
  statement: (em: EntityManager) => string,
): FieldChange {
  return async (
    em,
    store,
    { expectedRevision, found = [], keyName, limits = defaultMenuLimits, history = defaultHistoryLimits, ...changes },
  ) => {
    checkLengths(changes, limits);
    const errors = [...(await runInSlices(checkExternalIds(changes))), ...found];
    const lists = changedKinds.map(kind => ({ kind, entries: withoutErrors(changes[kind.name], kind, errors) }));
    return changeMenu(em, store.id, { origin: { source, keyName }, expectedRevision }, async (tx, current) => {
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
      if (row?.revision == null) return current;
      await pruneOccasionally(query, store.id, { limits: history, bytes: values.join().length });
      return row.revision;
    });
  };
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

/** Changes entities of a store ($1) by JSON lists ($2, $3) and grows the revision if any row changed. */
function changeStatement(
  em: EntityManager,
  { properties, furtherFields = {}, furtherChanges = '' }: Definition,
): string {
  const fields = Object.entries(furtherFields).map(([name, type]) => `"${name}" ${type}`);
  const tables = changedKinds.map((kind, index) => {
    const columns = tableOf(em, kind).columns.filter(({ property }) =>
      properties[kind.name].some(name => name === property),
    );
    return changeTable(em, kind, { columns, fields, parameter: `$${index + 2}` });
  });
  const changes = changedKinds.map(({ name }) => `exists (select from "${name} updated")`);
  const unknown = changedKinds.map(({ name }) => `array(select "externalId" from "${name} unknown") as "${name}"`);
  return prepared(`with ${tables.join(',\n')},
    ${furtherChanges}
    revised as (
      update store set menu_revision = menu_revision + 1 where id = $1 and (${changes.join(' or ')})
      returning menu_revision::float8 as revision
    )
    select (select revision from revised), ${unknown.join(', ')}`);
}

interface TableChange {
  readonly columns: readonly Column[];
  readonly fields: readonly string[];
  readonly parameter: string;
}

function changeTable(em: EntityManager, kind: ChangedKind, { columns, fields, parameter }: TableChange): string {
  const list = kind.name;
  const { tableName } = tableOf(em, kind);
  // By the index also where nested loops are off, as in all changes of menus: a change costs its entries, not the menu.
  const isGiven = `t.store_id = $1 and t.external_id = any(array(select "externalId" from "${list} given"))`;
  const given = ['"externalId" text', ...columns.map(({ property, type }) => `"${property}" ${type}`), ...fields];
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

/** Changes the amounts of single items and modifier items. */
export const changePrices = createFieldChange(
  'PRICES',
  compileChange({ properties: { items: ['price', 'tax'], modifierItems: ['priceChange', 'taxChange'] } }),
);
