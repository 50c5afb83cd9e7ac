import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OperatorError } from '@carte/base/errors';
import { isObject, parseJson } from '@carte/base/json';
import { GraphQLError, Source } from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkDocument, type QueryLimits } from './limits/limits.ts';
import { parseDocument, withPlace } from './limits/parse-document.ts';

/** Parameters of a GraphQL request that identify its document. */
export interface DocumentParameters {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** Documents by id. Where an operator configures them, no others are executed. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** Documents that come with the service and the operator's sets of operations. */
export interface OwnDocuments {
  /** The operations by name, which clients may send as `documentId` in any case. */
  readonly operations: Pick<ReadonlyMap<string, string>, 'get'>;
  /** The texts that our own pages send; none without trusted documents, since any text may be sent then. */
  readonly pages: ReadonlySet<string>;
}

export const noDocuments: OwnDocuments = { operations: new Map(), pages: new Set() };

/** Finds the trusted document of a request. The query of the request is ignored, unless our own pages send it. */
export function findTrustedDocument(
  trusted: TrustedDocuments,
  { query, documentId, extensions }: DocumentParameters,
  { operations, pages }: OwnDocuments = noDocuments,
): string {
  const id = documentId ?? persistedQueryOf(extensions)?.sha256Hash;
  if (typeof id !== 'string') {
    if (typeof query === 'string' && pages.has(query)) return query;
    throw requestError('PERSISTED_QUERY_ID_REQUIRED', 'Only trusted documents are executed: send a documentId.');
  }
  return trusted.get(withoutPrefix(id)) ?? findOperation(operations, id);
}

/** Whether a request names its document, and does not contain it. */
export function hasDocumentIdOnly({ query, documentId, extensions }: DocumentParameters): boolean {
  const hasDocument = (typeof query === 'string' && query !== '') || persistedQueryOf(extensions) !== undefined;
  return typeof documentId === 'string' && !hasDocument;
}

/** Finds the document of an operation by its name. */
export function findOperation(operations: OwnDocuments['operations'], documentId: unknown): string {
  const text = operations.get(String(documentId));
  if (text !== undefined) return text;
  const id = String(documentId).slice(0, 100);
  throw requestError(
    'PERSISTED_QUERY_NOT_IN_LIST',
    `No document has the id "${id}", and no operation for /graphql has this name.`,
  );
}

const maxPersistedCharacters = 1024 * 1024;

/** Automatic persisted queries: a client sends a query once with its hash, and from then on the hash alone. */
export class PersistedQueries {
  readonly #queries = new LRUCache<string, string>({
    maxSize: maxPersistedCharacters,
    sizeCalculation: text => text.length + 1,
  });

  /** Finds the query of a request; errors have the codes and messages that Apollo's clients retry on. */
  find({ query, extensions }: DocumentParameters): unknown {
    if (!isObject(extensions) || !extensions.persistedQuery) return query;
    const { version, sha256Hash } = persistedQueryOf(extensions) ?? {};
    if (version !== 1 || typeof sha256Hash !== 'string') {
      throw requestError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    }
    if (typeof query !== 'string' || query === '') {
      const known = this.#queries.get(sha256Hash);
      if (known === undefined) throw requestError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
      return known;
    }
    if (hash('sha256', query) !== sha256Hash) {
      throw requestError('BAD_REQUEST', 'The sha256Hash does not match the query.');
    }
    this.#queries.set(sha256Hash, query);
    return query;
  }
}

function persistedQueryOf(extensions: unknown): Readonly<Record<string, unknown>> | undefined {
  const persistedQuery = isObject(extensions) ? extensions.persistedQuery : undefined;
  return isObject(persistedQuery) ? persistedQuery : undefined;
}

const requestError = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });

/** The prefix of ids that are a SHA-256, by the draft on persisted documents of GraphQL over HTTP. */
const withoutPrefix = (id: string) => id.replace(/^sha256:/, '');

/**
 * Loads a manifest of trusted documents: a JSON object from id to document, as code generators write it, or a persisted query
 * manifest of Apollo's. Throws with every error in it, and every document that no request could execute.
 */
export function loadTrustedDocuments(path: string, limits: Partial<QueryLimits> = {}): TrustedDocuments {
  const errors: string[] = [];
  const documents = new Map<string, string>();
  for (const { id, text } of readEntries(parseFile(path), errors)) {
    const key = withoutPrefix(id);
    if (documents.has(key)) errors.push(`the id "${id}" occurs more than once`);
    const error = describeError(text, limits);
    if (error) errors.push(`"${id}" ${error}`);
    else documents.set(key, String(text));
  }
  if (errors.length > 0) {
    throw new OperatorError(`${path} is not a manifest of trusted documents:\n  ${errors.join('\n  ')}`);
  }
  return documents;
}

const apolloFormat = 'apollo-persisted-query-manifest';

function readEntries(manifest: unknown, errors: string[]) {
  if (!isObject(manifest)) {
    errors.push('it is not a JSON object');
    return [];
  }
  if (manifest.format === apolloFormat) return readApolloEntries(manifest, errors);
  const entries = Object.entries(manifest).map(([id, text]) => ({ id, text }));
  for (const { id, text } of entries) {
    // Ids of any other form are taken as they are: hashes of several kinds, and custom ones.
    const isMismatch = id.startsWith('sha256:') && typeof text === 'string' && `sha256:${hash('sha256', text)}` !== id;
    if (isMismatch) errors.push(`"${id}" is not the SHA-256 of its document`);
  }
  return entries;
}

function readApolloEntries({ version, operations }: Readonly<Record<string, unknown>>, errors: string[]) {
  if (version !== 1) errors.push(`its version is ${JSON.stringify(version)}; only 1 is supported`);
  if (!Array.isArray(operations)) errors.push('it has no list of operations');
  return (Array.isArray(operations) ? operations : []).flatMap((operation: unknown, index) => {
    if (isObject(operation) && typeof operation.id === 'string') return [{ id: operation.id, text: operation.body }];
    errors.push(`operation ${index} has no id`);
    return [];
  });
}

function describeError(text: unknown, limits: Partial<QueryLimits>): string | undefined {
  if (typeof text !== 'string') return 'has no document';
  const parsed = parseDocument(new Source(text));
  const [error] = parsed instanceof GraphQLError ? [parsed] : checkDocument(parsed, limits);
  return error && `is not a document that can be executed: ${withPlace(error)}`;
}

function parseFile(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`The trusted documents in ${path} cannot be read: ${reason}`, { cause });
  }
}
