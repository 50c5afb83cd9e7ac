import { hash } from 'node:crypto';
import { isObject, parseJson } from '@carte/base/json';
import {
  type DocumentParameters,
  findOperation,
  findTrustedDocument,
  hasDocumentIdOnly,
  noDocuments,
  type OwnDocuments,
  PersistedQueries,
  type TrustedDocuments,
} from '@carte/operations/documents';
import type { Variables } from '@carte/operations/execution/compile';
import { createLimitCheck, type QueryLimits } from '@carte/operations/limits/limits';
import { parseDocument, withCode } from '@carte/operations/limits/parse-document';
import type { FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  Source,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { tokenPrefix } from '../order/guest-tokens.ts';
import { detachLocations, locate } from './errors.ts';
import { describeLiteralErrors } from './input-paths.ts';
import { withNewName } from './renamed-fields.ts';
import { toExecutable } from './variables.ts';

export interface RequestValidatorOptions {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentCache;
  readonly limits?: Partial<QueryLimits>;
  readonly trusted?: TrustedDocuments | undefined;
  readonly own?: OwnDocuments;
  /** Rejects a request before its document is validated, e.g. for what it selects. */
  readonly authorize?: (request: { readonly document: DocumentNode; readonly variables: Variables }) => void;
}

export interface ValidatedRequest {
  /** Empty if the request may be executed. */
  readonly errors: readonly GraphQLError[];
  /** Absent without a query, and with a name, variables or extensions of another type, which Apollo rejects. */
  readonly parsed?: ParsedDocument;
  /** Absent if the document does not say which operation is to be executed, which Apollo rejects. */
  readonly operation?: OperationDefinitionNode | undefined;
  /** As sent. */
  readonly variables?: Variables;
  readonly cost?: number;
}

/** Creates the validation of a request: finds its document, parses it, checks the limits and validates it. */
export function createRequestValidator(options: RequestValidatorOptions) {
  const { schema, documents, limits, trusted, own = noDocuments, authorize } = options;
  const checkLimits = createLimitCheck(schema, limits);
  const persistedQueries = new PersistedQueries();

  function findDocument(parameters: DocumentParameters): unknown {
    if (trusted) return findTrustedDocument(trusted, parameters, own);
    return hasDocumentIdOnly(parameters)
      ? findOperation(own.operations, parameters.documentId)
      : persistedQueries.find(parameters);
  }

  function validateParameters(parameters: unknown): ValidatedRequest {
    if (!isObject(parameters)) return { errors: [] };
    // First of all: documents are kept in several caches.
    if (typeof parameters.query === 'string' && parameters.query.includes(tokenPrefix))
      return { errors: [tokenInText()] };
    const text = findDocument(parameters);
    if (typeof text !== 'string') return { errors: [] };
    const { operationName: name, extensions } = parameters;
    if (name != null && typeof name !== 'string') return { errors: [] };
    if (extensions != null && !isObject(extensions)) return { errors: [] };
    const parsed = documents.parse(text);
    if (parsed instanceof GraphQLError) return { errors: [parsed] };
    const { document } = parsed;
    const given = parameters.variables ?? {};
    const variables = isObject(given) ? given : {};
    authorize?.({ document, variables });
    const operationName = name ?? undefined;
    const { errors, cost } = checkLimits(document, operationName, variables);
    if (errors.length > 0) return { errors, cost };
    documents.keep(parsed);
    if (parsed.errors.length > 0) return { errors: parsed.errors, cost };
    if (variables !== given) return { errors: [], cost };
    return { errors: [], parsed, operation: getOperationAST(document, operationName) ?? undefined, variables, cost };
  }

  return (parameters: unknown): ValidatedRequest => {
    try {
      const { errors, ...validated } = validateParameters(parameters);
      return { ...validated, errors: errors.map(locate) };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
  };
}

export function tokenInText(): GraphQLError {
  const message =
    'The token of a guest is neither in the text of a document nor in a URL: send it as a variable, by POST.';
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** The parameters of a request: those of a POST are its body; in a URL, `variables` and `extensions` are JSON, and `key` is not one of them. */
export function parametersOf({ method, body, query }: Pick<FastifyRequest, 'method' | 'body' | 'query'>): unknown {
  if (method !== 'GET' || !isObject(query)) return body;
  const { key: _, variables, extensions, ...others } = query;
  return { ...others, variables: parseParameter(variables), extensions: parseParameter(extensions) };
}

/** Leaves a text that is not JSON as it is. */
function parseParameter(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

export interface ParsedDocument {
  readonly text: string;
  readonly document: DocumentNode;
  /** The document for an executor that gets coerced variables. */
  readonly executable: DocumentNode;
  /** Validation errors; validated on first access. */
  readonly errors: readonly GraphQLError[];
}

export interface DocumentOptions {
  readonly schema: GraphQLSchema;
  readonly maxTokens: number;
  readonly introspection: boolean;
}

/** Bounds each cache by its texts: a syntax tree takes some hundred bytes for each character. */
const cacheOptions = { maxSize: 512 * 1024, sizeCalculation: ({ text }: ParsedDocument) => text.length + 100 };

export type DocumentCache = ReturnType<typeof createDocumentCache>;

/** Parses and validates each document once. */
export function createDocumentCache({ schema, maxTokens, introspection }: DocumentOptions) {
  const rules = introspection ? specifiedRules : [...specifiedRules, noIntrospection];
  const cache = new LRUCache<string, ParsedDocument>(cacheOptions);
  const forApollo = new LRUCache<string, ParsedDocument>(cacheOptions);

  function validateDocument(document: DocumentNode): readonly GraphQLError[] {
    const errors = validate(schema, document, rules).map(error =>
      withCode(
        error,
        'GRAPHQL_VALIDATION_FAILED',
        introspection ? withNewName(error.message) : withoutSuggestion(error.message),
      ),
    );
    describeLiteralErrors(document, errors);
    return errors;
  }

  return {
    /** False for a request whose document would have to be parsed. */
    has: (parameters: unknown): boolean =>
      !isObject(parameters) || typeof parameters.query !== 'string' || cache.has(parameters.query),

    /** Returns the parsed document, or the syntax error. Once its limits are checked, it is to be kept. */
    parse(text: string): ParsedDocument | GraphQLError {
      const cached = cache.get(text);
      if (cached) return cached;
      const document = parseDocument(new Source(text), maxTokens);
      if (document instanceof GraphQLError) return document;
      let errors: readonly GraphQLError[] | undefined;
      let executable: DocumentNode | undefined;
      return {
        text,
        document,
        get executable() {
          executable ??= toExecutable(document);
          return executable;
        },
        // A getter: limits are checked first, and take less time than validation.
        get errors() {
          errors ??= validateDocument(document);
          return errors;
        },
      };
    },

    /** Keeps a document for requests that send it again, without its tokens, which take longer to remove than limits to check. */
    keep(parsed: ParsedDocument): void {
      if (cache.has(parsed.text)) return;
      detachLocations(parsed.document);
      cache.set(parsed.text, parsed);
    },

    /** Makes a valid document available to Apollo, which then neither parses nor validates it. */
    prime: (parsed: ParsedDocument): void => void forApollo.set(hash('sha256', parsed.text), parsed),

    /** Apollo's `documentStore`, whose keys end in the SHA-256 of the query. */
    apolloStore: {
      get: async (key: string) => forApollo.get(key.slice(-64))?.executable,
      set: async () => {},
      delete: async () => {},
    },
  };
}

/** Removes the names of the schema that graphql-js suggests: without introspection they are not public. */
const withoutSuggestion = (message: string) => message.replace(/ ?Did you mean .*\?$/s, '');

/** Whether every operation selects nothing but introspection, and `__typename`. */
export function isIntrospection({ definitions }: DocumentNode): boolean {
  const operations = definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION);
  const selections = operations.flatMap(({ selectionSet }) => selectionSet.selections);
  return selections.every(selection => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'));
}

const noIntrospection: ValidationRule = context => ({
  Field(node) {
    const name = node.name.value;
    if (name !== '__schema' && name !== '__type') return;
    const message = `${name} cannot be queried: introspection is disabled (CARTE_INTROSPECTION).`;
    context.reportError(
      new GraphQLError(message, { nodes: node, extensions: { validationErrorCode: 'INTROSPECTION_DISABLED' } }),
    );
  },
});
