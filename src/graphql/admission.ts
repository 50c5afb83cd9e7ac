import { hash } from 'node:crypto';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { parseJson } from '../input/json.ts';
import type { Documents, KnownDocument } from './documents.ts';
import type { DocumentLimits } from './limits/judge.ts';
import { documentLimits } from './limits.ts';
import { type TrustedDocuments, trustedText } from './trusted.ts';

export interface AdmissionOptions {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly limits?: Partial<DocumentLimits>;
  /** With them, no other document is executed. */
  readonly trusted?: TrustedDocuments | undefined;
}

/** Whether a request may be executed, and which document. */
export interface Admission {
  /** Why not; empty where it may. */
  readonly errors: readonly GraphQLError[];
  /** Absent for what is no request at all, which is left to Apollo to refuse. */
  readonly known?: KnownDocument;
  /** Known where there was a document to measure. */
  readonly cost?: number;
}

/**
 * Finds, measures and validates the document of a request before anything is executed. It takes the parameters of a request as
 * they came, from a body or, as texts, from a URL.
 */
export function createAdmission({ schema, documents, limits, trusted }: AdmissionOptions) {
  const judge = documentLimits(schema, limits);
  const persisted = new PersistedQueries();

  function textOf(parameters: Parameters): unknown {
    const extensions = fromJson(parameters.extensions);
    if (trusted) return trustedText(trusted, { documentId: parameters.documentId, extensions });
    const query = isObject(extensions) ? extensions.persistedQuery : undefined;
    return query ? persisted.textOf(query, parameters.query) : parameters.query;
  }

  function admit(text: unknown, parameters: Parameters): Admission {
    if (typeof text !== 'string') return { errors: [] };
    const known = documents.find(text);
    if (known instanceof GraphQLError) return { errors: [known] };
    const { operationName } = parameters;
    const variables = fromJson(parameters.variables);
    const { errors, cost } = judge(
      known.document,
      typeof operationName === 'string' ? operationName : undefined,
      isObject(variables) ? variables : {},
    );
    if (errors.length > 0) return { errors, cost };
    return known.errors.length > 0 ? { errors: known.errors, cost } : { errors: [], known, cost };
  }

  return (parameters: unknown): Admission => {
    if (!isObject(parameters)) return { errors: [] };
    try {
      return admit(textOf(parameters), parameters);
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
  };
}

type Parameters = Readonly<Record<string, unknown>>;

/** In characters. */
const maxPersisted = 1024 * 1024;

/** Automatic persisted queries: a client sends a text once with its hash, and from then on the hash alone. */
class PersistedQueries {
  readonly #texts = new LRUCache<string, string>({ maxSize: maxPersisted, sizeCalculation: text => text.length + 1 });

  /** The text that a request means; throws in the words upon which Apollo's clients send the text, or stop sending hashes. */
  textOf(query: unknown, text: unknown): unknown {
    if (!isObject(query) || query.version !== 1 || typeof query.sha256Hash !== 'string') {
      throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    }
    const { sha256Hash } = query;
    if (typeof text !== 'string' || text === '') {
      const known = this.#texts.get(sha256Hash);
      if (known === undefined) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
      return known;
    }
    if (hash('sha256', text) !== sha256Hash) throw refusal('BAD_REQUEST', 'The sha256Hash is not that of the query.');
    this.#texts.set(sha256Hash, text);
    return text;
  }
}

const refusal = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });

/** In a URL, objects are written as JSON; undefined for what cannot be parsed. */
export function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
