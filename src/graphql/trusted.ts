import { GraphQLError } from 'graphql';
import { readManifest } from './trusted/manifest.ts';

/** The documents that clients may ask for, where the operator allows no others. */
export interface TrustedDocuments {
  /** The text of the document with this id; undefined where there is none. */
  find(id: string): string | undefined;
}

/** Reads a manifest of documents; one that cannot be used ends the program, with every error in it. */
export function loadTrusted(path: string): TrustedDocuments {
  const documents = readManifest(path);
  return { find: id => documents.get(id.replace(/^sha256:/, '')) };
}

/** What of a request says which document it means. */
export interface DocumentRequest {
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** The text that a request means; whatever text it brings itself is not looked at. */
export function trustedText(trusted: TrustedDocuments, request: DocumentRequest): string {
  const id = idIn(request);
  if (id === undefined) {
    throw refusal('PERSISTED_QUERY_ID_REQUIRED', 'Only known documents are executed here: name one by its documentId.');
  }
  const text = trusted.find(id);
  if (text === undefined) {
    throw refusal('PERSISTED_QUERY_NOT_IN_LIST', `No document with the id "${id.slice(0, 100)}" is known here.`);
  }
  return text;
}

function idIn({ documentId, extensions }: DocumentRequest): string | undefined {
  const id = documentId ?? property(property(extensions, 'persistedQuery'), 'sha256Hash');
  return typeof id === 'string' ? id : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

const refusal = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });
