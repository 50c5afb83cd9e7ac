import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { isCacheable } from '../cache/cacheable.ts';
import { chooseEncoding, type Encoding } from '../cache/compression.ts';
import { isAnyTag } from '../cache/conditional.ts';
import { DeduplicatedBuffer } from '../cache/deduplicated-buffer.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { type ReadRevisions, type Revisions, storeRootOf } from '../cache/revisions.ts';
import { fragmentsOf, operationOf } from '../cache/selected-fields.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { bytesOf } from '../cache/writer.ts';
import { type CompiledOperation, compileOperation, type Variables } from './compile.ts';
import { type Contract, type Operation, rootFieldOf } from './contract/contract.ts';
import { namesInPath } from './contract/parameters.ts';
import { Problem } from './errors.ts';
import { etagOf, etagOfBody, etagOfEncoding, notModifiedEtag } from './etag.ts';

/** A request beside its variables. */
export interface RestRequest<Caller> {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
}

export interface RestResponse {
  readonly status: 200 | 304;
  readonly etag: string | undefined;
  readonly body: Buffer | DeduplicatedBuffer | undefined;
  /** Where the body depends on Accept-Encoding: how it is encoded. */
  readonly encoding?: Encoding | 'identity';
}

/** Executes a named operation on the graph for an authenticated caller; variables must have passed their readers. */
export type ExecuteOperation<Caller> = (variables: Variables, request: RestRequest<Caller>) => Promise<RestResponse>;

export interface ExecuteOptions<Caller extends object> {
  /** The executable graph. */
  readonly schema: GraphQLSchema;
  /** Where responses are cached that depend on a store's configuration alone. */
  readonly responseCache: ResponseCache;
  /** What resolvers work with; made anew for every request. */
  readonly createContext: (caller: Caller) => unknown;
  /** Reads revisions of a store, for less than its data costs. */
  readonly readRevisions: ReadRevisions<Caller>;
}

export function compileExecute<Caller extends object>(
  contract: Contract,
  operation: Operation,
  options: ExecuteOptions<Caller>,
): ExecuteOperation<Caller> {
  return operation.route.method === 'GET'
    ? compileRead(contract, operation, options)
    : compileWrite(contract, operation, options);
}

function compileRead<Caller extends object>(
  contract: Contract,
  operation: Operation,
  { schema, responseCache, createContext, readRevisions }: ExecuteOptions<Caller>,
): ExecuteOperation<Caller> {
  const compiled = compileOperation(schema, operation, rootFieldOf(contract, operation).type, bytesOf);
  const revision = compileRevision(schema, operation);
  const cached = isOperationCacheable(schema, operation);
  const isList = operation.parameters.some(parameter => parameter.in === 'query');
  const coalesce = coalesceByCaller<Caller>();
  return async (variables, { caller, headers }) => {
    const ifNoneMatch = headers['if-none-match'];
    const current =
      revision && (ifNoneMatch !== undefined || cached)
        ? revision.etagOf((await readRevisions(caller, revision.ofStore(variables))) ?? notFound(operation))
        : undefined;
    // Which ETag `*` means where there are several encodings is known with the body.
    const needsBody = cached && ifNoneMatch !== undefined && isAnyTag(ifNoneMatch);
    const unchanged =
      current !== undefined && !needsBody ? notModified(current, ifNoneMatch, { varies: cached }) : undefined;
    if (unchanged) return unchanged;
    const run = () => runAnew(operation, compiled, variables, createContext(caller));
    if (cached && current !== undefined) {
      const response = await fromCache(
        responseCache,
        { key: cacheKeyOf(operation, variables), etag: current },
        headers,
        run,
      );
      return needsBody ? { ...response, status: 304, body: undefined, encoding: 'identity' } : response;
    }
    const response = await (isList ? coalesce(caller, variables, run) : run());
    return notModified(response.etag, ifNoneMatch, { varies: false }) ?? { status: 200, ...response };
  };
}

/** With the headers that the 200 has; undefined where If-None-Match does not name the body. */
function notModified(
  etag: string,
  ifNoneMatch: string | undefined,
  { varies }: { readonly varies: boolean },
): RestResponse | undefined {
  const known = ifNoneMatch === undefined ? undefined : notModifiedEtag(etag, ifNoneMatch);
  if (known === undefined) return undefined;
  return { status: 304, etag: known, body: undefined, ...(varies && { encoding: 'identity' }) };
}

interface Fresh {
  readonly etag: string;
  readonly body: Buffer;
}

async function runAnew(
  operation: Operation,
  compiled: CompiledOperation<Buffer>,
  variables: Variables,
  context: unknown,
): Promise<Fresh> {
  const { body, etagValues } = (await compiled(variables, context)) ?? notFound(operation);
  return { etag: etagValues.length > 0 ? etagOf(etagValues, operation.hash) : etagOfBody(body), body };
}

async function fromCache(
  responseCache: ResponseCache,
  { key, etag }: { readonly key: string; readonly etag: string },
  headers: IncomingHttpHeaders,
  run: () => Promise<Fresh>,
): Promise<RestResponse> {
  const found = responseCache.get(key, etag, async () => {
    const fresh = await run();
    return { revision: fresh.etag, bytes: fresh.body };
  });
  const entry = found instanceof Promise ? await found : found;
  const encoding = chooseEncoding(headers['accept-encoding'], entry.bytes.length);
  const body = encoding ? await entry.encoded(encoding) : entry.bytes;
  return { status: 200, etag: etagOfEncoding(entry.revision, encoding), body, encoding: encoding ?? 'identity' };
}

/** Whether the response depends on a store's configuration alone, and its ETag is known before it is made. */
function isOperationCacheable(graph: GraphQLSchema, { document, name, revisionFields }: Operation): boolean {
  return revisionFields.length > 0 && isCacheable(graph, document, name);
}

const cacheKeyOf = ({ name }: Operation, variables: Variables) => `${name} ${JSON.stringify(variables)}`;

/** Coalesces equal requests of one caller. Worth it for lists: what is loaded by id is batched with other requests anyway. */
function coalesceByCaller<Caller extends object>() {
  const byCaller = new WeakMap<Caller, Map<string, SingleFlight<Fresh>>>();
  return (caller: Caller, variables: Variables, run: () => Promise<Fresh>): Promise<Fresh> => {
    const calls = byCaller.get(caller) ?? new Map<string, SingleFlight<Fresh>>();
    byCaller.set(caller, calls);
    const key = JSON.stringify(variables);
    const call = calls.get(key) ?? new SingleFlight(run, () => calls.delete(key));
    calls.set(key, call);
    return call.get();
  };
}

/** How the ETag is known without running the operation, where it is made of a store's revisions alone. */
interface Revision {
  readonly ofStore: (variables: Variables) => { readonly storeId: string; readonly names: readonly string[] };
  readonly etagOf: (revisions: Revisions) => string;
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
      return etagOf(values, operation.hash);
    },
  };
}

/** The body of a write is deduplicated: it may be large, and is sent once. */
function compileWrite<Caller extends object>(
  contract: Contract,
  operation: Operation,
  options: ExecuteOptions<Caller>,
): ExecuteOperation<Caller> {
  const { schema, responseCache, createContext } = options;
  const { type } = rootFieldOf(contract, operation);
  const compiled = compileOperation(schema, operation, type, chunks => new DeduplicatedBuffer(chunks));
  const read = readBackOf(contract, operation, schema);
  return async (variables, { caller }) => {
    const result = (await compiled(variables, createContext(caller))) ?? notFound(operation);
    const { body, etagValues } = result;
    const etag = etagValues.length > 0 ? etagOf(etagValues, (read ?? operation).hash) : undefined;
    if (read && etag !== undefined) {
      const ofRead = Object.fromEntries(read.parameters.map(({ name }) => [name, variables[name]]));
      responseCache.prime(cacheKeyOf(read, ofRead), etag, body);
    }
    return { status: 200, etag, body };
  };
}

/**
 * The read of the same path whose response a write gives, where both write their body by the same text and `@ifMatch` takes the
 * ETag of either. The write then has the ETag of that read, and primes its cache entry.
 */
function readBackOf({ operations }: Contract, write: Operation, schema: GraphQLSchema): Operation | undefined {
  const interchangeable = new Set(write.parameters.flatMap(parameter => parameter.tagsOf));
  if (!interchangeable.has(write.name)) return undefined;
  return operations.find(
    read =>
      read.route.path === write.route.path &&
      read.bodyText === write.bodyText &&
      interchangeable.has(read.name) &&
      isOperationCacheable(schema, read),
  );
}

/** In the same words for what does not exist and for what is outside the key's scope. */
function notFound({ route }: Operation): never {
  const names = namesInPath(route.path).join(', ');
  throw new Problem(404, `Nothing with this ${names} is in the scope of the API key.`);
}
