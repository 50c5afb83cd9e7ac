import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { isCacheable } from '../cache/cacheable.ts';
import { toBuffers } from '../cache/json-writer.ts';
import { compileRenderer, compileResolver, Rendering } from '../cache/renderer.ts';
import type { CachedResponse, ResponseCache } from '../cache/response-cache.ts';
import { type ReadRevisions, type StoreRoot, storeRootOf } from '../cache/revisions.ts';
import { fragmentsOf, operationOf, selectedFields } from '../cache/selected-fields.ts';

/** A request as clients send it in JSON. */
interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
}

/** A query whose answer depends on one store's configuration alone. */
interface CachedQuery {
  readonly id: string;
  readonly variables: OperationDefinitionNode['variableDefinitions'];
  readonly storeIdOf: StoreRoot['storeIdOf'];
  findStore(rendering: Rendering): unknown;
  revisionOf(store: unknown, rendering: Rendering): unknown;
  write(store: unknown, rendering: Rendering): Promise<Buffer>;
}

export interface CachedQueryOptions<Context> {
  readonly schema: GraphQLSchema;
  readonly responseCache: ResponseCache;
  readonly readRevisions: ReadRevisions<Context>;
  /** The document of a request; undefined for one that may not be executed, which depends on no variable of what is kept. */
  readonly documentOf: (request: GraphqlRequest) => DocumentNode | undefined;
}

/** The field that says which configuration a store has. */
const revisionName = 'menuRevision';

/** In bytes; the ordinary way has limits of its own for longer ones. */
const longestAnswer = 32 * 1024 * 1024;

/** Queries are cached, compiled or not, up to so many characters in all: a syntax tree takes some hundred bytes for each. */
const mostLetters = 2 * 1024 * 1024;

/**
 * Answers queries about one store's configuration from what is kept of it. Anything out of the ordinary (another kind of
 * query, an error, an absent store) is left to the ordinary way, by answering undefined.
 */
export function createCachedQueries<Context>(options: CachedQueryOptions<Context>) {
  const known = new LRUCache<string, { readonly query: CachedQuery | undefined }>({
    maxSize: mostLetters,
    sizeCalculation: (_found, text) => text.length + 1000,
  });
  const find = (request: GraphqlRequest): CachedQuery | undefined => {
    const { query: text, operationName } = request;
    // With its length, so that no name and text run into another pair of them.
    const key = `${operationName?.length ?? ''}:${operationName ?? ''}${text}`;
    let found = known.get(key);
    if (!found) {
      const document = options.documentOf(request);
      found = {
        query: document && compile(options.schema, document, { text, operationName: operationName ?? undefined }),
      };
      known.set(key, found);
    }
    return found.query;
  };

  return async (body: unknown, context: Context): Promise<CachedResponse | undefined> => {
    const query = isRequest(body) ? find(body) : undefined;
    if (!query || !isRequest(body)) return undefined;
    const { coerced } = getVariableValues(options.schema, query.variables ?? [], { ...body.variables });
    if (!coerced) return undefined;
    const rendering = new Rendering({ variables: coerced, context, maxBytes: longestAnswer });
    try {
      const stamp = await options.readRevisions(context, { storeId: query.storeIdOf(coerced), names: [revisionName] });
      if (!stamp) return undefined;
      const revision = String(stamp[revisionName]);
      return await options.responseCache.get(`graphql ${query.id} ${JSON.stringify(coerced)}`, revision, async () => {
        const store = await query.findStore(rendering);
        const bytes = await query.write(store, rendering);
        return { bytes, revision: String(await query.revisionOf(store, rendering)) };
      });
    } catch {
      // The ordinary way comes upon the same error, and says it as it should be said.
      return undefined;
    }
  };
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  { text, operationName }: { readonly text: string; readonly operationName: string | undefined },
): CachedQuery | undefined {
  if (!isCacheable(schema, document, operationName)) return undefined;
  const operation = operationOf(document, operationName);
  const fragments = fragmentsOf(document);
  const storeRoot = operation && storeRootOf(schema, operation, fragments);
  const [root] = selectedFields(operation?.selectionSet.selections ?? [], fragments);
  const field = root && schema.getQueryType()?.getFields()[root.node.name.value];
  const type = field && getNamedType(field.type);
  if (!operation || !storeRoot || !field || !isObjectType(type)) return undefined;
  const write = compileRenderer(type, root, fragments);
  const [before, after] = [`{"data":{${JSON.stringify(root.key)}:`, '}}\n'].map(part => Buffer.from(part));
  return {
    id: hash('sha256', `${operationName ?? ''}\n${text}`, 'base64url'),
    variables: operation.variableDefinitions,
    storeIdOf: storeRoot.storeIdOf,
    findStore: bind(compileResolver(field, root, fragments)),
    revisionOf: compileResolver(revisionField(type.getFields()), root, fragments),
    write: async (store, rendering) =>
      Buffer.concat([before ?? Buffer.of(), ...toBuffers(await write(store, rendering)), after ?? Buffer.of()]),
  };
}

const bind = (resolve: (object: unknown, rendering: Rendering) => unknown) => (rendering: Rendering) =>
  resolve(undefined, rendering);

function revisionField(fields: Readonly<Record<string, GraphQLField<unknown, unknown>>>) {
  const field = fields[revisionName];
  if (!field) throw new Error(`A store has no ${revisionName}`);
  return field;
}

const plainKeys = new Set(['query', 'operationName', 'variables']);

function isRequest(body: unknown): body is GraphqlRequest {
  if (typeof body !== 'object' || body === null || !('query' in body) || typeof body.query !== 'string') return false;
  if (!Object.keys(body).every(key => plainKeys.has(key))) return false;
  const { operationName, variables } = body as { operationName?: unknown; variables?: unknown };
  const named = operationName === undefined || operationName === null || typeof operationName === 'string';
  return named && (variables === undefined || variables === null || isPlainObject(variables));
}

const isPlainObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
