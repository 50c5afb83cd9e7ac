import { hash } from 'node:crypto';
import { RetryableError } from '@carte/base/errors';
import { isObject } from '@carte/base/json';
import { runInSlices } from '@carte/base/time-slice';
import { runNow } from '@carte/operations/execute';
import { type CompiledOperation, compileOperation, type Variables } from '@carte/operations/execution/compile';
import { concatenate, toBuffers } from '@carte/operations/execution/json-writer';
import { createFieldCount, leafField } from '@carte/operations/execution/selected-fields';
import { compressible } from '@carte/operations/http/compression';
import type { CachedResponse, RenderedResponse } from '@carte/operations/http/response-cache';
import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ResponseCache } from '../cache/response-cache.ts';
import {
  dependenciesOf,
  differsForGuests,
  findStoreQuery,
  isCacheable,
  type ReadRevisions,
  type SharedRead,
} from './cacheable.ts';
import type { QuerySource } from './compiled-queries.ts';

export interface CachedQueryOptions<Caller, Languages extends Sized> {
  readonly schema: GraphQLSchema;
  /** Whether the callers are guests. */
  readonly isForGuests: boolean;
  /** Whether only certain documents are executed. */
  readonly isTrustedOnly: boolean;
  /** Objects in the lists of a response. */
  readonly maxObjects: number;
  readonly responseCache: ResponseCache;
  readonly readRevisions: ReadRevisions<Caller>;
  /** What is known of the languages of a menu; undefined if preferred ones are not to be compared by it. */
  readonly indexLanguages: (languages: readonly string[]) => Languages | undefined;
  /** Spells preferred languages alike that pick the same texts of a menu in these languages; different from any that is sent, unless it is the same. */
  readonly canonicalLanguages: (preferred: readonly string[], languages: Languages) => readonly unknown[];
  /** Creates the context value of one rendering, with the cost of the request. */
  readonly createContext: (caller: Caller, cost: number) => unknown;
  /** Whether the caller may read everything that an operation selects, and gets the same as all others who may. */
  readonly isReadable: (operation: QuerySource, caller: Caller) => boolean;
  /** From this cost on, a list of orders is rendered when it is the turn of the caller, as menus always are. */
  readonly minExpensiveCost: number;
  /** Without `coerced`, the variables are invalid. */
  readonly coerceVariables: (
    operation: OperationDefinitionNode,
    given: Variables,
  ) => Promise<{ readonly coerced: Variables } | object>;
}

interface Sized {
  /** In characters. */
  readonly size: number;
}

/** `parsed` is undefined for a request that is rejected. */
interface ValidatedRequest {
  readonly parsed?: { readonly document: DocumentNode; readonly text: string } | undefined;
  readonly cost?: number | undefined;
}

interface GraphqlRequest {
  readonly query?: unknown;
  readonly operationName?: string | null;
  readonly variables?: Variables | null;
  readonly extensions?: unknown;
  readonly documentId?: unknown;
}

/** A query whose response depends on one store alone, and is known by its revisions and other fields that are read with them. */
type CacheableQuery = NonNullable<ReturnType<typeof findCacheable>>;

interface KnownRequest {
  readonly query: CacheableQuery;
  /** Coerced. */
  readonly variables: Variables;
  /** Of the query with these variables. */
  readonly key: string;
  readonly cost: number;
}

/** A response of a known revision, with the key of its request, which is the same each time. */
type CachedQuery =
  | {
      readonly response: Omit<CachedResponse, 'size'>;
      readonly cost: number;
      readonly key: string;
      /** Null if caches at the edge must not store it. */
      readonly sharedRead: Omit<SharedRead, 'dueInSeconds'> | null;
      /** Of the store, where it was read with the revision of the response. */
      readonly dueInSeconds: number | null | undefined;
      readonly hasFailed?: never;
    }
  | { readonly hasFailed: true };

interface RequestOptions {
  readonly validate: () => ValidatedRequest;
  readonly run: <T>(render: () => Promise<T>) => Promise<T>;
  /** Whether the response is sent with an ETag: it then has one from the first request on. */
  readonly hasETag: boolean;
}

/** Bounds what is known of the languages of stores, at their current revision. */
const maxLanguageCharacters = 4 * 1024 * 1024;

/** Larger responses are left to Apollo, with limits of its own. */
const maxResponseBytes = 32 * 1024 * 1024;

/** Bounds the cache of compiled queries, in characters of their texts: each takes some hundred bytes in a syntax tree. */
const maxCharacters = 2 * 1024 * 1024;

/** What a compiled field takes, in characters; fragments are expanded, so few characters may have many fields. */
const charactersPerField = 40;

/**
 * Creates the lookup of cached responses to queries on one store, which renders those that are not cached. It returns undefined for all other requests,
 * for a list of orders whose document is new, unless its response has an ETag, and where there is an error or no such store: Apollo then executes the query.
 */
export function createCachedQueries<Caller, Languages extends Sized>(options: CachedQueryOptions<Caller, Languages>) {
  const { responseCache, readRevisions, createContext, indexLanguages, canonicalLanguages } = options;
  const { isReadable, coerceVariables } = options;
  /** Without a query for those whose response cannot be cached. */
  const knownQueries = new LRUCache<string, { readonly query: CacheableQuery | undefined }>({
    maxSize: maxCharacters,
    sizeCalculation: ({ query }, key) => key.length + 1000 + (query?.fields ?? 0) * charactersPerField,
  });
  const knownRequests = new LRUCache<string, KnownRequest>({
    maxSize: maxCharacters,
    sizeCalculation: ({ key }, given) => given.length + 2 * key.length + 200,
  });
  const knownLanguages = new LRUCache<string, Languages>({
    maxSize: maxLanguageCharacters,
    sizeCalculation: ({ size }, menu) => menu.length + size + 200,
  });

  /** Equal for variables that differ only in languages that the menu does not have; its first rendering tells which it has. */
  function cacheKeyOf({ query, key, variables }: KnownRequest, menu: string): string {
    const { languageVariables } = query;
    const known = languageVariables.length > 0 ? knownLanguages.get(menu) : undefined;
    if (!known) return key;
    const canonical = languageVariables.flatMap(name => {
      const preferred = variables[name];
      // Absent, or null, which is an error.
      return Array.isArray(preferred) ? [[name, canonicalLanguages(preferred, known)]] : [];
    });
    return keyOf(query, { ...variables, ...Object.fromEntries(canonical) });
  }

  /** Validates a request, and coerces its variables, once for all that are equal. */
  async function findRequest(
    request: GraphqlRequest,
    { validate, hasETag }: Pick<RequestOptions, 'validate' | 'hasETag'>,
  ): Promise<KnownRequest | undefined> {
    const { operationName, variables } = request;
    // A document that is named instead, or must be known beforehand, is found by validation.
    const isSent = !options.isTrustedOnly && request.extensions === undefined && request.documentId === undefined;
    const text = isSent ? request.query : validate().parsed?.text;
    if (typeof text !== 'string') return undefined;
    // With the length of the name, so that no two pairs of name and query have one key.
    const document = `${operationName?.length ?? ''}:${operationName ?? ''}${text}`;
    const known = knownQueries.get(document);
    if (known && !known.query) return undefined;
    const given = variables ?? {};
    const found = known?.query && knownRequests.get(keyOf(known.query, given));
    if (found) return found;
    const { parsed, cost = 0 } = validate();
    if (!parsed) return undefined;
    const query = known?.query ?? findCacheable(options, parsed.document, { text, operationName });
    if (!known) knownQueries.set(document, { query });
    if (!query || !(known || query.isKeptAtOnce || hasETag)) return undefined;
    const coercion = await coerceVariables(query.source.operation, given);
    if (!('coerced' in coercion)) return undefined;
    const { coerced } = coercion;
    const added = { query, variables: coerced, key: keyOf(query, coerced), cost };
    knownRequests.set(keyOf(query, given), added);
    return added;
  }

  /** Validates a request that is not known, and renders a response that is not cached by `run`. `hasFailed` if there is an error. */
  return async (body: unknown, caller: Caller, { run, ...given }: RequestOptions): Promise<CachedQuery | undefined> => {
    if (!isGraphqlRequest(body)) return undefined;
    const request = await findRequest(body, given);
    if (!request || !isReadable(request.query.source, caller)) return undefined;
    const { query, variables, cost } = request;
    const { names, isKeptAtOnce } = query;
    const render = async (): Promise<RenderedResponse> => {
      const result = await query.run(variables, createContext(caller, cost));
      if (!result) throw new Error('There is no such store');
      const bytes = await runInSlices(concatenate([query.prefix, ...toBuffers(result.body), query.suffix]));
      const revision = result.etagValues.slice(0, names.length).join('.');
      const menu = `${query.storeIdOf(variables)} ${revision}`;
      if (query.languageVariables.length > 0 && !knownLanguages.has(menu)) {
        const languages = indexLanguages(result.etagValues[names.length] as readonly string[]);
        if (languages) knownLanguages.set(menu, languages);
      }
      return { bytes, revision };
    };
    const runInTurn = isKeptAtOnce || cost >= options.minExpensiveCost ? run : runNow;
    try {
      const storeId = query.storeIdOf(variables);
      const sharedRead = query.hasOrders ? null : { storeId, hasMenu: names.includes('menuRevision') };
      if (isKeptAtOnce || responseCache.has(request.key)) {
        const revisions = await readRevisions(caller, { storeId, names });
        if (!revisions) return undefined;
        const revision = names.map(name => revisions[name]).join('.');
        if (isKeptAtOnce || responseCache.observe(request.key, revision)) {
          const key = cacheKeyOf(request, `${storeId} ${revision}`);
          const response = await responseCache.get(key, revision, render, runInTurn);
          // One that has changed since has other due times.
          const dueInSeconds = response.revision === revision ? revisions.dueInSeconds : undefined;
          return { response, cost, key: request.key, sharedRead, dueInSeconds };
        }
      }
      const rendered = await runInTurn(render);
      const { revision } = rendered;
      const response = responseCache.observe(request.key, revision)
        ? await responseCache.get(request.key, revision, async () => rendered)
        : { ...rendered, ...compressible(rendered.bytes) };
      return { response, cost, key: request.key, sharedRead, dueInSeconds: undefined };
    } catch (error) {
      // Apollo's execution meets the same error, and reports it; what has waited for too long does not wait again.
      if (error instanceof RetryableError) throw error;
      return { hasFailed: true };
    }
  };
}

function findCacheable(
  { schema, isForGuests, maxObjects }: Pick<CachedQueryOptions<never, never>, 'schema' | 'isForGuests' | 'maxObjects'>,
  document: DocumentNode,
  { text, operationName }: { readonly text: string; readonly operationName: string | null | undefined },
) {
  const name = operationName ?? undefined;
  const query = findStoreQuery(schema, document, name);
  if (!query || !isCacheable(schema, document, name)) return undefined;
  const { operation, fragments, root, storeIdOf } = query;
  const names = dependenciesOf(schema, document);
  const hasMenu = names.includes('menuRevision');
  const hasOrders = names.includes('ordersRevision');
  // Names of stores and of ordered items may have other languages than the menu.
  const isOfMenuAlone = hasMenu && !hasOrders && !names.includes('revision');
  const languageVariables = isOfMenuAlone ? variablesFor('languages', document) : [];
  const audience = isForGuests && differsForGuests(schema, document) ? 'guests ' : '';
  const beside = [...names, ...(languageVariables.length > 0 ? ['menuLanguages'] : [])].map(leafField);
  const source = { document, kind: 'query' as const, body: [root], etags: beside.map(field => [root, field]) };
  // Whether it is large and changes seldom.
  const isKeptAtOnce = hasMenu && !hasOrders;
  // A menu is returned however often it repeats its parts, since it is rendered once.
  const limits = { maxBytes: maxResponseBytes, ...(!isKeptAtOnce && { maxObjects }) };
  let compiled: CompiledOperation | undefined;
  return {
    id: audience + hash('sha256', `${name ?? ''}\n${text}`, 'base64url'),
    source: { document, operation },
    storeIdOf,
    names,
    hasOrders,
    isKeptAtOnce,
    languageVariables,
    fields: createFieldCount(fragments)(root.selections),
    run(variables: Variables, context: unknown) {
      compiled ??= compileOperation(schema, source, { limits });
      return compiled(variables, context);
    },
    // The response around the rendered store.
    prefix: Buffer.from(`{"data":{${JSON.stringify(root.key)}:`),
    suffix: Buffer.from('}}\n'),
  };
}

const keyOf = ({ id }: CacheableQuery, variables: Variables) => `graphql ${id} ${JSON.stringify(variables, exactly)}`;

/** `JSON.stringify` would write infinite numbers, which are errors, as null. */
const exactly = (_key: string, value: unknown) =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? JSON.rawJSON('1e999') : value;

/** Names of the variables that are given for arguments of this name alone. */
function variablesFor(argument: string, document: DocumentNode): string[] {
  const uses = new Map<string, Set<string>>();
  visit(document, {
    [Kind.VARIABLE_DEFINITION]: () => false,
    [Kind.VARIABLE]: ({ name }, _key, parent) => {
      const use = parent && 'kind' in parent && parent.kind === Kind.ARGUMENT ? parent.name.value : 'a part of one';
      uses.set(name.value, (uses.get(name.value) ?? new Set()).add(use));
    },
  });
  return [...uses].filter(([, names]) => names.size === 1 && names.has(argument)).map(([name]) => name);
}

const cacheableKeys = new Set(['query', 'operationName', 'variables', 'extensions', 'documentId']);

function isGraphqlRequest(body: unknown): body is GraphqlRequest {
  if (!isObject(body) || !Object.keys(body).every(key => cacheableKeys.has(key))) return false;
  const { operationName, variables } = body;
  return (
    (operationName === undefined || operationName === null || typeof operationName === 'string') &&
    (variables === undefined || variables === null || isObject(variables))
  );
}
