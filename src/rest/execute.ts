import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { DocumentNode, GraphQLField, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { chooseEncoding, compress, type Encoding } from '../cache/compression.ts';
import { contentETag, encodedETag, isWildcard, matchIfNoneMatch, revisionETag } from '../cache/etag.ts';
import type { CachedResponse, RenderedResponse, ResponseCache } from '../cache/response-cache.ts';
import { TooCostly } from '../errors.ts';
import { differsForGuests, isCacheable, type ReadRevisions, storeRootOf } from '../execution/cacheable.ts';
import type { CompiledOperation, Variables } from '../execution/compile.ts';
import { concatenate, DeduplicatedBuffer } from '../execution/json-writer.ts';
import { fragmentsOf, operationOf } from '../execution/selected-fields.ts';
import { SingleFlight } from '../scheduling/batch-schedule.ts';
import { currentShare } from '../scheduling/current-request.ts';
import { runInSlices } from '../scheduling/time-slice.ts';
import type { Contract, Operation } from './contract/contract.ts';
import { namesInPath } from './contract/parameters.ts';
import { HttpError, tooMuch } from './errors.ts';
import { operationForGuests } from './guests.ts';
import { compileRoute } from './render.ts';

export type Caller = NonNullable<FastifyRequest['caller']>;

/** What an operation takes from a request beside its variables. */
export interface RestRequest {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  /** Of the operation with these variables; 0 where it is not limited and no list. */
  readonly cost: number;
}

export interface RestResponse {
  readonly status: 200 | 304;
  readonly etag: string | undefined;
  readonly body: Buffer | DeduplicatedBuffer | undefined;
  /** The content coding of a body that varies with Accept-Encoding; undefined for one that does not vary. */
  readonly encoding?: Encoding | 'identity';
}

/** Executes an operation on the graph for an authenticated caller, with validated variables. */
export type ExecuteOperation = (variables: Variables, request: RestRequest) => Promise<RestResponse>;

export interface ExecuteOptions {
  /** The executable graph. */
  readonly schema: GraphQLSchema;
  /** Caches responses that depend only on a store's configuration. */
  readonly responseCache: ResponseCache;
  /** Creates the context value of one request; `cost` counts towards its limit. */
  readonly createContext: (caller: Caller, cost: number) => unknown;
  /** Absent for sets that come with Carte: their contract bounds what they load. */
  readonly limits?: RouteLimits | undefined;
  /** Reads revisions of a store, which costs less than to load its data. */
  readonly readRevisions: ReadRevisions<Caller>;
  /** Runs what takes long, e.g. the first rendering of a menu, when it is the turn of the caller. */
  readonly runExpensive: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Limits of one request, as those of a GraphQL document. */
export interface RouteLimits {
  readonly cost: number;
  /** In the lists of one response. */
  readonly objects: number;
}

export interface VariantOptions extends ExecuteOptions {
  /**
   * Finds the first variant that the caller may execute. Throws `Unauthenticated` without a caller, and `Forbidden` for one without a permission
   * that the first variant requires.
   */
  readonly authorize: <Variant extends Pick<Operation, 'rootField' | 'document'>>(
    variants: readonly [Variant, ...Variant[]],
    caller: Caller | null,
  ) => Variant;
  /** Whether publishable keys may read a field. */
  readonly isForGuests: (field: GraphQLField<unknown, unknown>) => boolean;
}

/** Compiles an operation in its variants, and returns the function that authorizes a caller and finds what it executes. */
export function compileVariants(contract: Contract, operation: Operation, options: VariantOptions) {
  const compile = (variant: Operation) => ({ ...variant, execute: compileExecute(contract, variant, options) });
  const compileForGuests = (variant: ReturnType<typeof compile>) => {
    const reduced = operationForGuests(options.schema, contract, variant, options.isForGuests);
    // With a hash of its own, by which its responses and ETags are other ones.
    if (differsForGuests(options.schema, reduced.document)) return compile({ ...reduced, hash: `${reduced.hash}g` });
    return reduced === variant ? variant : compile(reduced);
  };
  const full = compile(operation);
  const others = operation.reduced ? [compile(operation.reduced)] : [];
  const variants = [full, ...others] as const;
  const variantsOfGuests = [compileForGuests(full), ...others.map(compileForGuests)] as const;
  return (caller: Caller | null): ExecuteOperation =>
    options.authorize(caller?.scope.publishable ? variantsOfGuests : variants, caller).execute;
}

function compileExecute(contract: Contract, operation: Operation, options: ExecuteOptions): ExecuteOperation {
  return operation.route.method === 'GET'
    ? compileRead(contract, operation, options)
    : compileWrite(contract, operation, options);
}

/** A response of so many objects takes its turn among the expensive requests, as does the first rendering of a menu. */
const minExpensiveCost = 4_000;

function compileRead(
  contract: Contract,
  operation: Operation,
  { schema, responseCache, createContext, readRevisions, runExpensive, limits }: ExecuteOptions,
): ExecuteOperation {
  const compiled = compileRoute(schema, contract, operation, limits?.objects);
  const revision = compileRevision(schema, operation);
  const isCached = isOperationCacheable(schema, operation);
  const isList = operation.parameters.some(parameter => parameter.in === 'query');
  const coalesce = createCoalescing();
  return async (variables, { caller, headers, cost }) => {
    const ifNoneMatch = headers['if-none-match'];
    const etag =
      revision && (ifNoneMatch !== undefined || isCached)
        ? revision.etagOf((await readRevisions(caller, revision.ofStore(variables))) ?? notFound(operation))
        : undefined;
    // The 304 for `*` has the ETag of the encoding that the 200 would have, which depends on the length of the body.
    const isForAny = ifNoneMatch !== undefined && isWildcard(ifNoneMatch);
    const findUnchanged = (current: string | undefined) =>
      current === undefined || isForAny ? undefined : notModified(current, ifNoneMatch);
    const unchanged = findUnchanged(etag);
    if (unchanged) return unchanged;
    const send = async (entry: Representation) => {
      const response = await encode(entry, headers);
      return isForAny
        ? { ...response, status: 304 as const, body: undefined, encoding: 'identity' as const }
        : response;
    };
    const render = () => renderResponse(operation, compiled, variables, createContext(caller, cost));
    if (isCached && etag !== undefined) {
      const found = responseCache.get(cacheKeyOf(operation, variables), etag, render, runExpensive);
      return send(found instanceof Promise ? await found : found);
    }
    const run = cost >= minExpensiveCost ? () => runExpensive(render) : render;
    const { revision: current, bytes } = await (isList ? coalesce(caller, variables, run) : run());
    const encoded = (encoding: Encoding) => compress(bytes, encoding, 'sent');
    return findUnchanged(current) ?? send({ revision: current, bytes, encoded });
  };
}

/** A 304 with the ETag and Vary of the 200; undefined where If-None-Match does not match. */
function notModified(etag: string, ifNoneMatch: string | undefined): RestResponse | undefined {
  const matched = ifNoneMatch === undefined ? undefined : matchIfNoneMatch(etag, ifNoneMatch);
  if (matched === undefined) return undefined;
  return { status: 304, etag: matched, body: undefined, encoding: 'identity' };
}

/** Renders the body; its revision is its ETag. */
async function renderResponse(
  operation: Operation,
  compiled: CompiledOperation,
  variables: Variables,
  context: unknown,
): Promise<RenderedResponse> {
  const { body, etagValues } = (await compiled(variables, context)) ?? notFound(operation);
  const bytes = typeof body === 'string' ? Buffer.from(body) : await runInSlices(concatenate(body));
  return { revision: etagValues.length > 0 ? revisionETag(etagValues, operation.hash) : contentETag(bytes), bytes };
}

type Representation = Pick<CachedResponse, 'revision' | 'bytes' | 'encoded'>;

async function encode(entry: Representation, headers: IncomingHttpHeaders): Promise<RestResponse> {
  const encoding = chooseEncoding(headers['accept-encoding'], entry.bytes.length);
  const body = encoding ? await entry.encoded(encoding) : entry.bytes;
  return { status: 200, etag: encodedETag(entry.revision, encoding), body, encoding: encoding ?? 'identity' };
}

/** Whether the response depends only on a store's configuration, and its ETag is known before it is rendered. */
function isOperationCacheable(graph: GraphQLSchema, { document, name, revisionFields }: Operation): boolean {
  return revisionFields.length > 0 && isCacheable(graph, document, name);
}

const cacheKeyOf = ({ name, hash }: Operation, variables: Variables) => `${name} ${hash} ${JSON.stringify(variables)}`;

/** Coalesces equal requests of one caller, who waits for itself alone. Worth it for lists; loads by id are batched across requests anyway. */
function createCoalescing() {
  const byCaller = new WeakMap<Caller, Map<string, SingleFlight<RenderedResponse>>>();
  return (caller: Caller, variables: Variables, render: () => Promise<RenderedResponse>) => {
    const flights = byCaller.get(caller) ?? new Map<string, SingleFlight<RenderedResponse>>();
    byCaller.set(caller, flights);
    const key = `${currentShare().id} ${JSON.stringify(variables)}`;
    const flight = flights.get(key) ?? new SingleFlight(render, () => flights.delete(key));
    flights.set(key, flight);
    return flight.get();
  };
}

/** Computes the ETag without running the operation, where it depends only on a store's revisions. */
interface Revision {
  readonly ofStore: (variables: Variables) => { readonly storeId: string; readonly names: readonly string[] };
  readonly etagOf: (revisions: Readonly<Record<string, unknown>>) => string;
}

function compileRevision(graph: GraphQLSchema, operation: Operation): Revision | undefined {
  const node = operationOf(operation.document, operation.name);
  const root = node && storeRootOf(graph, node, fragmentsOf(operation.document));
  const names = operation.revisionFields;
  if (!root || names.length === 0) return undefined;
  return {
    ofStore: variables => ({ storeId: root.storeIdOf(variables), names }),
    etagOf: revisions => {
      const values = names.map(name => revisions[name]);
      if (values.includes(undefined)) throw new Error(`A store has no ${names.join(', ')}`);
      return revisionETag(values, operation.hash);
    },
  };
}

/** The body of a write is deduplicated, because it can be large and its cache entry is often never read. */
function compileWrite(contract: Contract, operation: Operation, options: ExecuteOptions): ExecuteOperation {
  const { schema, responseCache, createContext, limits } = options;
  const compiled = compileRoute(schema, contract, operation, limits?.objects);
  const read = findEquivalentRead(contract, operation, schema);
  return async (variables, { caller, cost }) => {
    const result = (await compiled(variables, createContext(caller, cost))) ?? notFound(operation);
    const body = await runInSlices(DeduplicatedBuffer.from(result.body));
    const { etagValues } = result;
    const etag = etagValues.length > 0 ? revisionETag(etagValues, (read ?? operation).hash) : undefined;
    if (read && etag !== undefined) {
      const readVariables = Object.fromEntries(read.parameters.map(({ name }) => [name, variables[name]]));
      responseCache.prime(cacheKeyOf(read, readVariables), etag, body);
    }
    return { status: 200, etag, body };
  };
}

/**
 * Finds the read of the same path with the same body, where `@ifMatch` accepts the ETag of either. The write responds with the ETag of
 * that read and primes its cache entry.
 */
function findEquivalentRead({ operations }: Contract, write: Operation, schema: GraphQLSchema): Operation | undefined {
  const interchangeable = new Set(write.parameters.flatMap(parameter => parameter.etagsOf));
  if (!interchangeable.has(write.name)) return undefined;
  return operations.find(
    read =>
      read.route.path === write.route.path &&
      read.bodyText === write.bodyText &&
      interchangeable.has(read.name) &&
      isOperationCacheable(schema, read),
  );
}

/** The same response for an unknown id and for one outside the key's scope, so that it does not reveal which ids exist. */
function notFound({ route }: Operation): never {
  const names = namesInPath(route.path).join(', ');
  throw new HttpError(404, `Nothing with this ${names} is in the scope of the API key.`);
}

export interface CostOptions {
  /** The number of objects that an operation loads with these variables. */
  readonly costOf: (document: DocumentNode, operationName: string, variables: Variables) => number;
  readonly limits?: RouteLimits | undefined;
}

/** Compiles the cost of a request, which is 0 where neither a limit nor a turn depends on it. Throws 422 beyond the limit. */
export function compileCost(operation: Operation, { costOf, limits }: CostOptions): (variables: Variables) => number {
  const { route, parameters, document, name } = operation;
  const isList = route.method === 'GET' && parameters.some(parameter => parameter.in === 'query');
  if (!isList && !limits) return () => 0;
  const compute = (variables: Variables) => costOf(document, name, variables);
  const cached = parameters.some(parameter => parameter.in === 'body') ? compute : cacheCosts(compute);
  return variables => {
    const cost = cached(variables);
    if (!limits || cost <= limits.cost) return cost;
    throw tooMuch(operation, new TooCostly('these values', cost, limits.cost).message);
  };
}

/** Computes a cost once for numbers and the lengths of lists among the variables, and the names of the others: it depends on nothing else. */
function cacheCosts(costOf: (variables: Variables) => number): (variables: Variables) => number {
  const costs = new LRUCache<string, number>({ max: 1_000 });
  return variables => {
    let key = '';
    for (const name in variables) {
      const value = variables[name];
      const size = Array.isArray(value) ? value.length : value;
      key += typeof size === 'number' ? `${name}=${size},` : `${name},`;
    }
    let cost = costs.get(key);
    if (cost === undefined) {
      cost = costOf(variables);
      costs.set(key, cost);
    }
    return cost;
  };
}
