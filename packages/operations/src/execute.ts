import type { IncomingHttpHeaders } from 'node:http';
import { TooCostly } from '@carte/base/errors';
import { runInSlices } from '@carte/base/time-slice';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { compileRoute, type Dependency } from './compile-route.ts';
import type { Contract, Operation } from './contract/contract.ts';
import { namesInPath } from './contract/parameters.ts';
import { HttpError, tooMuch } from './errors.ts';
import type { CompiledOperation, Variables } from './execution/compile.ts';
import { concatenate, DeduplicatedBuffer } from './execution/json-writer.ts';
import { chooseEncoding, compressible, type Encoding } from './http/compression.ts';
import { contentETag, contentHash, encodedETag, isWildcard, matchIfNoneMatch, revisionETag } from './http/etag.ts';
import type { CachedResponse, RenderedResponse, ResponseCache } from './http/response-cache.ts';

/** What an operation takes from a request beside its variables. */
export interface RestRequest<Caller> {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  /** Computes the cost of the operation with these variables, which a cached response does not need; 0 where it is not limited and no list. */
  readonly cost: () => number;
}

export interface RestResponse {
  readonly status: 200 | 304;
  readonly etag: string | undefined;
  readonly body: Buffer | DeduplicatedBuffer | undefined;
  /** The content coding of a body that varies with Accept-Encoding; undefined for one that does not vary. */
  readonly encoding?: Encoding | 'identity';
  /** Until it changes by itself, as it was read with its revisions. */
  readonly dueInSeconds?: number | null | undefined;
}

/** Executes an operation on the graph for an authenticated caller, with validated variables. */
export type ExecuteOperation<Caller> = (variables: Variables, request: RestRequest<Caller>) => Promise<RestResponse>;

interface Revisions {
  readonly values: readonly unknown[];
  /** Until one of them changes by itself; null for never, and undefined if that is not known. */
  readonly dueInSeconds?: number | null | undefined;
}

/** What the ETag of an operation is made of, where the response depends on nothing else: it may be kept and sent to other callers. */
export interface OperationRevisions<Caller> {
  /** Reads the values of the fields that are marked `@etag`, then of the dependencies; undefined where the operation finds nothing. */
  readonly read: (variables: Variables, caller: Caller) => Promise<Revisions | undefined>;
}

export interface ExecuteOptions<Caller> {
  /** The executable graph. */
  readonly schema: GraphQLSchema;
  /** Keeps responses that depend on their revisions alone; by default none are. */
  readonly responseCache?: ResponseCache | undefined;
  /** Creates the context value of one request; `cost` counts towards its limit. */
  readonly createContext: (caller: Caller, cost: number) => unknown;
  /** Absent for sets that come with the service: their contract bounds what they load. */
  readonly limits?: RouteLimits | undefined;
  /**
   * Finds what a body depends on beside the fields that are marked `@etag`, as their author cannot know. Where an object of that type is on the
   * path to the body, the value is part of the ETag, too.
   */
  readonly dependenciesOf?: ((operation: Operation) => readonly Dependency[]) | undefined;
  /**
   * Finds what is known of a response before it is rendered. Where there is nothing, the fields that are marked `@etag` do not cover the body, which is
   * part of the ETag, too. Without this function, they do.
   */
  readonly revisionsOf?: ((operation: Operation) => OperationRevisions<Caller> | undefined) | undefined;
  /** Runs what takes long when it is the turn of the caller. */
  readonly runExpensive?: Run | undefined;
  /** Lets equal requests of a caller share one rendering, which begins after the last of them. */
  readonly coalesce?: Coalesce<Caller> | undefined;
  /**
   * Finds the first variant that the caller may execute. Throws `Unauthenticated` without a caller, and `Forbidden` for one without a permission
   * that the first variant requires.
   */
  readonly authorize: <Variant extends Pick<Operation, 'rootField' | 'document'>>(
    variants: readonly [Variant, ...Variant[]],
    caller: Caller | null,
  ) => Variant;
  /** Whether callers are known by API keys, of which errors speak then. */
  readonly hasApiKeys?: boolean | undefined;
  /** Callers for whom operations select less, e.g. the public. */
  readonly audience?: Audience<Caller> | undefined;
  /** The number of objects that an operation loads with these variables. */
  readonly costOf: (document: DocumentNode, operationName: string, variables: Variables) => number;
}

/** Limits of one request, as those of a GraphQL document. */
export interface RouteLimits {
  readonly cost: number;
  /** In the lists of one response. */
  readonly objects: number;
}

export type Run = <T>(task: () => Promise<T>) => Promise<T>;

export const runNow: Run = task => task();

export type Coalesce<Caller> = (
  request: { readonly operation: Operation; readonly caller: Caller; readonly variables: Variables },
  render: () => Promise<RenderedResponse>,
) => Promise<RenderedResponse>;

export interface Audience<Caller> {
  readonly includes: (caller: Caller) => boolean;
  /** The operation for them, with a hash of its own; the same where they get what others get. */
  readonly reduce: (contract: Contract, operation: Operation) => Operation;
}

/** Compiles an operation in its variants, and returns the function that authorizes a caller and finds what it executes. */
export function compileVariants<Caller>(contract: Contract, operation: Operation, options: ExecuteOptions<Caller>) {
  const { audience, authorize } = options;
  const compile = (variant: Operation) => {
    const compileExecute = variant.route.method === 'GET' ? compileRead<Caller> : compileWrite<Caller>;
    return { ...variant, execute: compileExecute(contract, variant, options) };
  };
  const compileReduced = (variant: ReturnType<typeof compile>) => {
    const reduced = audience?.reduce(contract, variant) ?? variant;
    return reduced === variant ? variant : compile(reduced);
  };
  const full = compile(operation);
  const others = operation.reduced ? [compile(operation.reduced)] : [];
  const variants = [full, ...others] as const;
  const reducedVariants = [compileReduced(full), ...others.map(compileReduced)] as const;
  return (caller: Caller | null): ExecuteOperation<Caller> =>
    authorize(caller !== null && audience?.includes(caller) ? reducedVariants : variants, caller).execute;
}

/** A response of so many objects takes its turn among the expensive requests, as does one that is rendered to be kept. */
const minExpensiveCost = 4_000;

function compileRead<Caller>(
  contract: Contract,
  operation: Operation,
  options: ExecuteOptions<Caller>,
): ExecuteOperation<Caller> {
  const { createContext, runExpensive = runNow, coalesce } = options;
  const compiled = compileExecuted(contract, operation, options);
  const revisions = options.revisionsOf?.(operation);
  const cache = revisions && options.responseCache;
  const isCovered = revisions !== undefined || !options.revisionsOf;
  const isList = operation.parameters.some(parameter => parameter.in === 'query');
  return async (variables, { caller, headers, cost }) => {
    const ifNoneMatch = headers['if-none-match'];
    const key = cache && cacheKeyOf(operation, variables);
    const isKept = cache !== undefined && key !== undefined && (!isList || cache.has(key));
    const current =
      revisions && (ifNoneMatch !== undefined || isKept)
        ? ((await revisions.read(variables, caller)) ?? notFound(operation, options))
        : undefined;
    const etag = current && revisionETag(current.values, operation.hash);
    // The 304 for `*` has the ETag of the encoding that the 200 would have, which depends on the length of the body.
    const isForAny = ifNoneMatch !== undefined && isWildcard(ifNoneMatch);
    const findUnchanged = (found: string | undefined): RestResponse | undefined => {
      if (found === undefined || ifNoneMatch === undefined || isForAny) return undefined;
      const matched = matchIfNoneMatch(found, ifNoneMatch);
      return matched === undefined ? undefined : notModified(matched);
    };
    const unchanged = findUnchanged(etag);
    if (unchanged) return { ...unchanged, dueInSeconds: current?.dueInSeconds };
    const send = async (entry: Omit<CachedResponse, 'size'>): Promise<RestResponse> => {
      const encoding = chooseEncoding(headers['accept-encoding'], entry.bytes.length);
      const encodedAs = encodedETag(entry.revision, encoding);
      // Of others, more than the revisions may have changed since these were read.
      const dueInSeconds = cache && entry.revision === etag ? current?.dueInSeconds : undefined;
      if (isForAny) return { ...notModified(encodedAs), dueInSeconds };
      const body = encoding ? await entry.encoded(encoding, runExpensive) : entry.bytes;
      return { status: 200, etag: encodedAs, body, encoding: encoding ?? 'identity', dueInSeconds };
    };
    const render = async () => {
      const { bytes, etagValues } =
        (await renderBody(compiled, variables, createContext(caller, cost()))) ?? notFound(operation, options);
      const values = isCovered ? etagValues : [...etagValues, contentHash(bytes)];
      return { revision: etagValues.length > 0 ? revisionETag(values, operation.hash) : contentETag(bytes), bytes };
    };
    const runInTurn: Run = task => (isList && cost() < minExpensiveCost ? task() : runExpensive(task));
    if (isKept && etag !== undefined && (!isList || cache.observe(key, etag))) {
      const found = cache.get(key, etag, render, runInTurn);
      return send(found instanceof Promise ? await found : found);
    }
    const run = cost() >= minExpensiveCost ? () => runExpensive(render) : render;
    const rendered = await (isList && coalesce ? coalesce({ operation, caller, variables }, run) : run());
    const { revision } = rendered;
    const unchangedSince = findUnchanged(revision);
    if (unchangedSince) return unchangedSince;
    if (cache && key !== undefined && isList && cache.observe(key, revision)) {
      return send(await cache.get(key, revision, async () => rendered));
    }
    return send({ ...rendered, ...compressible(rendered.bytes) });
  };
}

const compileExecuted = <Caller>(contract: Contract, operation: Operation, options: ExecuteOptions<Caller>) =>
  compileRoute(options.schema, contract, operation, {
    maxObjects: options.limits?.objects,
    dependencies: options.dependenciesOf?.(operation),
  });

/** A 304 with the ETag and Vary of the 200. */
const notModified = (etag: string): RestResponse => ({ status: 304, etag, body: undefined, encoding: 'identity' });

async function renderBody(compiled: CompiledOperation, variables: Variables, context: unknown) {
  const result = await compiled(variables, context);
  if (!result) return undefined;
  const { body, etagValues } = result;
  const bytes = typeof body === 'string' ? Buffer.from(body) : await runInSlices(concatenate(body));
  return { bytes, etagValues };
}

const cacheKeyOf = ({ name, hash }: Operation, variables: Variables) => `${name} ${hash} ${JSON.stringify(variables)}`;

/** The body of a write is deduplicated, because it can be large and its cache entry is often never read. */
function compileWrite<Caller>(
  contract: Contract,
  operation: Operation,
  options: ExecuteOptions<Caller>,
): ExecuteOperation<Caller> {
  const { responseCache, createContext, revisionsOf } = options;
  const compiled = compileExecuted(contract, operation, options);
  const read = findEquivalentRead(contract, operation, candidate => revisionsOf?.(candidate) !== undefined);
  return async (variables, { caller, cost }) => {
    const result = (await compiled(variables, createContext(caller, cost()))) ?? notFound(operation, options);
    const body = await runInSlices(DeduplicatedBuffer.from(result.body));
    const { etagValues } = result;
    const etag = etagValues.length > 0 ? revisionETag(etagValues, (read ?? operation).hash) : undefined;
    if (read && etag !== undefined) {
      const readVariables = Object.fromEntries(read.parameters.map(({ name }) => [name, variables[name]]));
      responseCache?.prime(cacheKeyOf(read, readVariables), etag, body);
    }
    return { status: 200, etag, body };
  };
}

/**
 * Finds the read of the same path with the same body, where `@ifMatch` accepts the ETag of either. The write responds with the ETag of
 * that read and primes its cache entry.
 */
function findEquivalentRead(
  { operations }: Contract,
  write: Operation,
  isCacheable: (read: Operation) => boolean,
): Operation | undefined {
  const interchangeable = new Set(write.parameters.flatMap(parameter => parameter.etagsOf));
  if (!interchangeable.has(write.name)) return undefined;
  return operations.find(
    read =>
      read.route.path === write.route.path &&
      read.bodyText === write.bodyText &&
      interchangeable.has(read.name) &&
      isCacheable(read),
  );
}

/** The same response for an unknown id and for one outside the caller's scope, so that it does not reveal which ids exist. */
function notFound({ route }: Operation, { hasApiKeys }: Pick<ExecuteOptions<never>, 'hasApiKeys'>): never {
  const names = namesInPath(route.path).join(', ');
  const subject = names === '' ? 'Nothing' : `Nothing with this ${names}`;
  throw new HttpError(404, hasApiKeys ? `${subject} is in the scope of the API key.` : `${subject} was found.`);
}

/** Compiles the cost of a request, which is 0 where neither a limit nor a turn depends on it. Throws 422 beyond the limit. */
export function compileCost<Caller>(operation: Operation, { costOf, limits }: ExecuteOptions<Caller>) {
  const { route, parameters, document, name } = operation;
  const isList = route.method === 'GET' && parameters.some(parameter => parameter.in === 'query');
  if (!isList && !limits) return (): RestRequest<Caller>['cost'] => () => 0;
  const compute = (variables: Variables) => costOf(document, name, variables);
  const cached = parameters.some(parameter => parameter.in === 'body') ? compute : cacheCosts(compute);
  return (variables: Variables): RestRequest<Caller>['cost'] => {
    if (!limits) return () => cached(variables);
    const cost = cached(variables);
    if (cost > limits.cost) throw tooMuch(operation, new TooCostly('these values', cost, limits.cost).message);
    return () => cost;
  };
}

/** Computes a cost once for numbers and the lengths of lists among the variables, and the names of the others: it depends on nothing else. */
function cacheCosts(costOf: (variables: Variables) => number): (variables: Variables) => number {
  const costs = new LRUCache<string, number, Variables>({
    max: 1_000,
    memoMethod: (_key, _stale, { context }) => costOf(context),
  });
  return variables => {
    let key = '';
    for (const name in variables) {
      const value = variables[name];
      const size = Array.isArray(value) ? value.length : value;
      key += typeof size === 'number' ? `${name}=${size},` : `${name},`;
    }
    return costs.memo(key, { context: variables });
  };
}
