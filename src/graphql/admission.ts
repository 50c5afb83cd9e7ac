import { type DocumentNode, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { parseJson } from '../input/json.ts';
import type { DocumentLimits } from './limits/judge.ts';
import { documentLimits } from './limits.ts';
import { type TrustedDocuments, trustedText } from './trusted.ts';

export interface AdmissionOptions {
  readonly schema: GraphQLSchema;
  readonly limits?: Partial<DocumentLimits>;
  readonly maxTokens: number;
  /** With them, no other document is executed. */
  readonly trusted?: TrustedDocuments | undefined;
}

/** Whether a request may go on, and with which text. */
export interface Admission {
  /** Why not; empty where it may. */
  readonly errors: readonly GraphQLError[];
  /** What is executed, where the request brought no text or another. */
  readonly text?: string;
  /** Known where there was a document to measure. */
  readonly cost?: number;
}

/**
 * Decides before a document is validated, let alone executed. It takes the parameters of a request as they came, from a body
 * or, as texts, from a URL; what is no request at all, or no document, is let through for the endpoint to refuse.
 */
export function createAdmission({ schema, limits, maxTokens, trusted }: AdmissionOptions) {
  const judge = documentLimits(schema, limits);

  function admit(text: unknown, parameters: Parameters): Admission {
    if (typeof text !== 'string') return { errors: [] };
    const document = parseText(text, maxTokens);
    if (document instanceof GraphQLError) return { errors: [document] };
    if (!document) return { errors: [] };
    const { operationName } = parameters;
    const variables = fromJson(parameters.variables);
    return judge(
      document,
      typeof operationName === 'string' ? operationName : undefined,
      isObject(variables) ? variables : {},
    );
  }

  return (parameters: unknown): Admission => {
    if (!isObject(parameters)) return { errors: [] };
    const { query, documentId } = parameters;
    const extensions = fromJson(parameters.extensions);
    if (!trusted)
      return !query && namesRemembered(extensions) ? { errors: [notRemembered()] } : admit(query, parameters);
    try {
      const text = trustedText(trusted, { documentId, extensions });
      return { ...admit(text, parameters), text };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
  };
}

type Parameters = Readonly<Record<string, unknown>>;

/** A document that was sent before, by its hash alone: what it asks for with these variables could not be told. */
const namesRemembered = (extensions: unknown) => isObject(extensions) && Boolean(extensions.persistedQuery);

/** In Apollo's words, upon which its clients send the text. */
const notRemembered = () =>
  new GraphQLError('PersistedQueryNotSupported', { extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } });

/** Undefined for a mistake, which whoever parses it next explains; an error for what brings down the parser itself. */
function parseText(text: string, maxTokens: number): DocumentNode | GraphQLError | undefined {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    if (!(error instanceof RangeError)) return undefined;
    return new GraphQLError('The document nests deeper than can be read.', { extensions: { code: 'QUERY_TOO_DEEP' } });
  }
}

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
