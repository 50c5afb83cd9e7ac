import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { findUnstorable, isStorable } from '@carte/base/validation';
import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { queryIn, retryTransaction } from './query.ts';

export interface SaveResult {
  /** Number of rows inserted or updated. */
  readonly changed: number;
  /** The errors of the documents that were not saved, by their index. */
  readonly errors: readonly { readonly index: number; readonly error: ValidationError }[];
}

/** Saves the documents that have no errors: neither those of `findErrors` nor values that cannot be stored. */
export async function saveDocuments<Document extends { readonly id?: string | null }>(
  documents: readonly Document[],
  findErrors: (document: Document) => readonly ValidationError[],
  save: (valid: readonly Document[]) => Promise<number>,
): Promise<SaveResult> {
  const found = documents.map(document => [
    ...checkId(document.id ?? undefined),
    ...(isStorable(document) ? [] : findUnstorable(document)),
    ...findErrors(document),
  ]);
  const errors = found.flatMap((ofDocument, index) => ofDocument.map(error => ({ index, error })));
  const changed = await save(documents.filter((_document, index) => found[index]?.length === 0));
  return { changed, errors };
}

/** In UTF-16 code units. Ids are parts of index entries, whose size PostgreSQL limits, and of URLs; no route leads to an empty one. */
const maxIdLength = 255;

function* checkId({ length = 1 }: { readonly length?: number } = {}): Generator<ValidationError> {
  const path = ['id'];
  if (length < 1) yield { path, type: 'string_too_short', message: 'String should have at least 1 character' };
  if (length <= maxIdLength) return;
  yield { path, type: 'string_too_long', message: `String should have at most ${maxIdLength} characters` };
}

/** Saves a single document; throws `InvalidInput` with all its errors, whose paths start at the argument `input`. */
export async function saveOne(save: () => Promise<SaveResult>): Promise<void> {
  const { errors } = await retryTransaction(save);
  if (errors.length === 0) return;
  throw new InvalidInput(errors.map(({ error }) => ({ ...error, path: ['input', ...error.path] })));
}

/** The error of a document that refers to a row which does not exist. */
export function referenceNotFound(path: readonly string[], noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `no ${noun} has the id ${JSON.stringify(id)}` };
}

/** A row by property names; dates as RFC 3339. */
export type UpsertRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** The columns that saving a document leaves as they are. A column without a field in the document does not compile unless it is one. */
export type NotSaved<Entity, Document> = Readonly<Record<Exclude<keyof Entity & string, keyof Document>, true>>;

interface UpsertOptions {
  readonly notSaved?: Readonly<Record<string, true>>;
  /** Timestamps that a row may omit: the stored value stays, and a new row gets the current time. */
  readonly preserve?: readonly string[];
  /** Columns that a row may omit: the stored value stays, and a new row has null. */
  readonly optional?: readonly string[];
}

/** Inserts rows, or updates those that differ, in one statement; returns the number of changed rows. */
export async function upsertRows(
  em: EntityManager,
  entity: EntitySchema,
  rows: readonly UpsertRow[],
  options: UpsertOptions = {},
): Promise<number> {
  // The last document with an id wins, as if they were saved one by one.
  const distinct = [...new Map(rows.map(row => [row.id, row])).values()];
  const query = CompiledQuery.raw(upsertStatement(em, entity, options), [JSON.stringify(distinct)]);
  const { numAffectedRows } = await em.getKysely().executeQuery(query);
  return Number(numAffectedRows ?? 0);
}

function upsertStatement(
  em: EntityManager,
  entity: EntitySchema,
  { notSaved = {}, preserve = [], optional = [] }: UpsertOptions,
): string {
  const { tableName, props } = em.getMetadata().get(entity.meta.class);
  const columns = props
    .filter(prop => prop.persist !== false && !prop.generated && !prop.mappedBy && !Object.hasOwn(notSaved, prop.name))
    .map(prop => ({ property: prop.name, name: String(prop.fieldNames[0]), type: String(prop.columnTypes[0]) }));
  const preserved = new Set(preserve);
  const optionals = new Set(optional);
  const value = ({ property, name }: (typeof columns)[number]) => {
    if (preserved.has(property)) return `coalesce(r."${property}", t.${name}, now())`;
    return optionals.has(property) ? `coalesce(r."${property}", t.${name})` : `r."${property}"`;
  };
  const differs = columns.map(({ name, type }) =>
    type === 'json'
      ? `${tableName}.${name}::text is distinct from excluded.${name}::text`
      : `${tableName}.${name} is distinct from excluded.${name}`,
  );
  return `
    insert into ${tableName} (${columns.map(column => column.name).join(', ')})
    select ${columns.map(value).join(', ')}
    from json_to_recordset($1::json) as r(${columns.map(({ property, type }) => `"${property}" ${type}`).join(', ')})
    left join ${tableName} t on t.id = r.id
    on conflict (id) do update set ${columns.map(({ name }) => `${name} = excluded.${name}`).join(', ')}
    where ${differs.join(' or ')}`;
}

/** Returns those ids that exist; none has a NUL, which PostgreSQL rejects. */
export async function findExistingIds(
  em: EntityManager,
  entity: EntitySchema,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { tableName } = em.getMetadata().get(entity.meta.class);
  const storable = [...new Set(ids)].filter(id => !id.includes('\0'));
  const rows = await queryIn(em)<{ readonly id: string }>(`select id from ${tableName} where id = any($1)`, [storable]);
  return new Set(rows.map(row => row.id));
}
