import { InvalidInput, type ValidationError } from '../errors.ts';
import { findUnstorable, isStorable } from '../input/storable.ts';
import { retryTransaction } from './transaction.ts';

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
    ...(document.id === '' ? [emptyId] : []),
    ...(document.id && document.id.length > maxIdLength ? [longId] : []),
    ...(isStorable(document) ? [] : findUnstorable(document)),
    ...findErrors(document),
  ]);
  const errors = found.flatMap((ofDocument, index) => ofDocument.map(error => ({ index, error })));
  const changed = await save(documents.filter((_document, index) => found[index]?.length === 0));
  return { changed, errors };
}

/** No route leads to it. */
const emptyId: ValidationError = {
  path: ['id'],
  type: 'string_too_short',
  message: 'String should have at least 1 character',
};

/** In UTF-16 code units. Ids are parts of index entries, whose size PostgreSQL limits, and of URLs. */
const maxIdLength = 255;
const longId: ValidationError = {
  path: ['id'],
  type: 'string_too_long',
  message: `String should have at most ${maxIdLength} characters`,
};

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
