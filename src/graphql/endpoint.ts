import { hash } from 'node:crypto';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import { Unauthenticated } from '@carte/base/errors';
import { isObject } from '@carte/base/json';
import { largeBodyBytes, TimeSlice } from '@carte/base/time-slice';
import type { OwnDocuments, TrustedDocuments } from '@carte/operations/documents';
import { type Run, runNow } from '@carte/operations/execute';
import { chooseEncoding, compressible } from '@carte/operations/http/compression';
import { contentETag, encodedETag, isWildcard, matchIfNoneMatch, revisionETag } from '@carte/operations/http/etag';
import type { CachedResponse } from '@carte/operations/http/response-cache';
import { addVary } from '@carte/operations/http/vary';
import { defaultQueryLimits, type QueryLimits } from '@carte/operations/limits/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLField, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ResponseCache } from '../cache/response-cache.ts';
import { createSharedReads, findShareable, type Shareable } from '../execution/cacheable.ts';
import { createCachedQueries } from '../execution/cached-queries.ts';
import { createCompiledQueries, type QuerySource } from '../execution/compiled-queries.ts';
import { canonicalLanguages, indexLanguages } from '../menu/translations.ts';
import { hasToken } from '../order/guest-tokens.ts';
import { type AccessScope, hasOwnOrdersOnly } from '../scope.ts';
import { type ApolloContext, acceptsGraphqlResponse, headAsGet, startApollo } from './apollo.ts';
import { createReadableCheck } from './authorization.ts';
import { type ContextDependencies, createContext } from './context.ts';
import { locate, type TranslateError, toHttpError, withoutTokens } from './errors.ts';
import {
  createDocumentCache,
  createRequestValidator,
  type DocumentCache,
  isIntrospection,
  parametersOf,
  tokenInText,
  type ValidatedRequest,
} from './request-validation.ts';
import { mountSubscriptions, type SubscriptionOptions } from './subscriptions/mount.ts';
import { acceptsOnlyEventStream } from './subscriptions/sse.ts';
import { createVariableCoercion } from './variables.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly limits: Partial<QueryLimits> & { readonly objects: number };
  /** If present, no other document is executed. */
  readonly trusted: TrustedDocuments | undefined;
  /** Executed in any case. */
  readonly own: OwnDocuments;
  readonly responseCache: ResponseCache;
  readonly dependencies: ContextDependencies;
  /** Sets `request.caller` if there is an API key; throws `Unauthenticated` for an unknown one. */
  readonly authenticate: (request: FastifyRequest) => Promise<void>;
  readonly translateError: TranslateError;
  /** Run the current request, and one that takes long, when it is the turn of its caller. */
  readonly runRequest: Run;
  readonly runExpensive: Run;
  readonly subscriptions: SubscriptionOptions;
  /** Registers what the page for browsers loads, and returns a function that sends the page. */
  readonly mountPlayground: (app: FastifyInstance) => (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** Far above what clients need, and low enough to stop the parser early. */
const maxTokens = 15_000;

/** Limits for requests without an API key, which can do nothing but introspection: some four times what tools send. */
const anonymous = {
  maxTokens: 1_000,
  limits: { cost: 60_000, aliases: 10, selections: 300, rootFields: 5 },
};

/** A request waits for events once. */
const isResolvedOnce = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => name === 'waitSeconds');

/** From this cost on, a request takes its turn among the expensive ones, as does one with a large body. */
const minExpensiveCost = 10_000;
/** Mutations cost more by their transactions, which wait for the database: a single change of stock is not expensive. */
const minExpensiveMutationCost = 25_000;

/** Registers `/graphql`: operations by POST and GET, subscriptions also over WebSocket, and the playground for browsers. */
export async function mountGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const { schema, introspection, limits, trusted, own, responseCache, authenticate, translateError, runExpensive } =
    options;
  const { cost: maxCost = defaultQueryLimits.cost, objects: maxObjects } = limits;
  const dependencies = { ...options.dependencies, maxCost, maxObjects };
  const { readRevisions } = dependencies.repositories.stores;
  const shareRead = createSharedReads(readRevisions);
  const documents = createDocumentCache({ schema, maxTokens, introspection });
  const apollo = await startApollo(app, { schema, introspection, documents, maxTokens, translateError });
  const coerceVariables = createVariableCoercion(schema, { suggests: introspection });
  const checkReadable = createReadableCheck(schema);
  /** The documents of one kind of callers: guests have their own, so that they evict none of others. */
  const createDocuments = (cache: DocumentCache, isForGuests: boolean) => {
    const validateRequest = createRequestValidator({ schema, documents: cache, limits, trusted, own });
    const findCached = createCachedQueries({
      schema,
      isForGuests,
      isTrustedOnly: trusted !== undefined,
      maxObjects,
      minExpensiveCost,
      responseCache,
      readRevisions,
      indexLanguages,
      canonicalLanguages,
      createContext: ({ scope }: NonNullable<FastifyRequest['caller']>, cost) =>
        createContext(dependencies, scope, { cost }),
      isReadable: (operation, { scope }) => !hasOwnOrdersOnly(scope) && checkReadable(operation, scope).length === 0,
      coerceVariables,
    });
    return {
      cache,
      validateRequest,
      findCached,
      findCompiled: createCompiledQueries(schema, { maxObjects, isResolvedOnce }),
    };
  };
  const ofKeys = createDocuments(documents, false);
  const ofGuests = createDocuments(createDocumentCache({ schema, maxTokens, introspection }), true);
  const documentsOf = ({ publishable }: AccessScope) => (publishable ? ofGuests : ofKeys);
  const validateAnonymous = createRequestValidator({
    schema,
    // Its own, so that requests without a key evict no documents of others.
    documents: createDocumentCache({ schema, maxTokens: anonymous.maxTokens, introspection }),
    limits: { ...limits, ...anonymous.limits },
    trusted,
    own,
    authorize({ document, variables }) {
      if (!isIntrospection(document) || Object.keys(variables).length > 0) {
        throw new Unauthenticated('An API key is needed in the header x-api-key.');
      }
    },
  });
  const validateRequest = (parameters: unknown, scope: AccessScope) => documentsOf(scope).validateRequest(parameters);
  const checks = { validateRequest, checkReadable, coerceVariables };
  const graph = { schema, dependencies, ...checks, translateError, limits };
  const subscriptions = mountSubscriptions(app, graph, options.subscriptions);
  /** The results of introspection, which never change, for requests without a key. */
  const introspections = new LRUCache<string, string>({
    max: 20,
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: body => body.length,
  });
  const contexts = new WeakMap<FastifyRequest, ApolloContext>();
  const handleByApollo = fastifyApolloHandler(apollo, {
    // Created before Apollo is called, which responds with 500 if it fails.
    context: async request => contexts.get(request) as ApolloContext,
  });

  app.setErrorHandler((error: Error, request, reply) => {
    const { status, headers, code, message } = toHttpError(translateError(error) ?? error);
    if (status === 500) request.log.error(error);
    return reply
      .code(status)
      .headers(headers)
      .header('content-type', mediaType(request))
      .send(JSON.stringify({ errors: [{ message, extensions: { code, requestId: request.id } }] }));
  });

  const shareables = new WeakMap<OperationDefinitionNode, { readonly found: Shareable | undefined }>();

  /** What a cache at the edge has to know of a response that depends on the time as well; undefined if it must not store it. */
  function shareableOf({ operation, document }: QuerySource): Shareable | undefined {
    const known = shareables.get(operation) ?? { found: findShareable(schema, document, operation.name?.value) };
    shareables.set(operation, known);
    return known.found;
  }

  /** Computes and compresses the response in the key's share, and returns the function that sends it, for which no other request waits. */
  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<() => unknown> {
    const caller = request.caller ?? undefined;
    const validateRequest = caller ? documentsOf(caller.scope).validateRequest : validateAnonymous;
    const parameters = parametersOf(request);
    if (request.method === 'GET' && hasToken(parameters)) return () => sendErrors(request, reply, [tokenInText()]);
    // A slice of new documents in a turn of the event loop: however many come at once, what others send is handled in between.
    if (caller && !documentsOf(caller.scope).cache.has(parameters)) await new TimeSlice().yield();
    let validated: ValidatedRequest | undefined;
    // Once: a document that is rejected is not kept.
    const validate = () => (validated ??= validateRequest(parameters));
    const cached =
      caller && isCacheable(request)
        ? await documentsOf(caller.scope).findCached(parameters, caller, {
            validate,
            run: runExpensive,
            hasETag: request.method === 'GET',
          })
        : undefined;
    if (cached && !cached.hasFailed) {
      const { sharedRead, dueInSeconds } = cached;
      if (caller && request.isKeyInUrl && sharedRead)
        request.sharedRead = await shareRead(caller, sharedRead, dueInSeconds);
      reportCost(request, reply, cached.cost).header('content-type', mediaType(request));
      return encodeCached(request, reply, { ...cached, run: runExpensive });
    }
    const { errors, parsed, operation, variables = {}, cost = 0 } = validate();
    reportCost(request, reply, cost);
    const failWith = (found: readonly GraphQLError[]) => () => {
      const send = acceptsOnlyEventStream(request) ? subscriptions.sendErrors : sendErrors;
      return send(request, reply, found);
    };
    if (errors.length > 0) return failWith(errors);
    const unreadable = parsed ? checkReadable({ document: parsed.document, operation }, caller?.scope) : [];
    if (unreadable.length > 0) return failWith(unreadable.map(locate));
    if (parsed && operation?.operation === 'subscription') {
      const subscription = { document: parsed.document, operationName: operation.name?.value, variables, cost };
      return () => subscriptions.send(request, reply, subscription);
    }
    // Undefined for requests with a key.
    const resultKey =
      caller || request.method === 'GET' || !isCacheable(request)
        ? undefined
        : parsed && operation && `${operation.name?.value} ${parsed.text}`;
    const known = resultKey && introspections.get(resultKey);
    if (known) return encodeBody(request, reply.header('content-type', mediaType(request)), known, runNow);
    const minCost = operation?.operation === 'mutation' ? minExpensiveMutationCost : minExpensiveCost;
    const isExpensive = cost >= minCost || Number(request.headers['content-length']) >= largeBodyBytes;
    // What is executed as an expensive request is compressed in the same turn. Without a key there is little to compress, and no share.
    const run = isExpensive || !caller ? runNow : runExpensive;
    const execute = async () => {
      const result = parsed ? await coerceVariables(operation, variables, parsed.document) : { coerced: undefined };
      if ('errors' in result) return failWith(result.errors.map(locate));
      if (parsed) documents.prime(parsed);
      const newContext = () => createContext(dependencies, caller?.scope, { cost });
      const costInBody = wantsCostInBody(request) ? cost : undefined;
      const { coerced } = result;
      const source = caller && parsed && operation ? { document: parsed.document, operation } : undefined;
      const shareable = source && request.isKeyInUrl ? shareableOf(source) : undefined;
      const query =
        source && caller && costInBody === undefined && !cached?.hasFailed && acceptsJson(request)
          ? // What the edge is to keep has the same headers from the first request on.
            documentsOf(caller.scope).findCompiled(source, coerced ?? {}, { isAtOnce: shareable !== undefined })
          : undefined;
      const compiled: ApolloContext['compiled'] = query && { render: () => query(coerced ?? {}, newContext()) };
      const context = Object.assign(newContext(), {
        request,
        parsed,
        variables: coerced,
        cost: costInBody,
        compiled,
      });
      contexts.set(request, context);
      if (request.isKeyInUrl && !acceptsGraphqlResponse(request)) request.headers.accept = 'application/json';
      const body = await handleByApollo.call(app, request, reply);
      const bytes = compiled?.bytes;
      // What a token opens is nobody else's to see, be it by its compressed length.
      const isPlain = caller?.scope.publishable === true && hasToken(variables);
      if (bytes && caller && shareable) {
        const { storeIdOf, hasMenu } = shareable;
        request.sharedRead = await shareRead(caller, { storeId: storeIdOf(coerced ?? {}), hasMenu }, undefined);
        if (request.sharedRead)
          return encodeConditional(request, reply, { etag: contentETag(bytes), response: compressible(bytes), run });
      }
      if (bytes && isPlain) return () => reply.removeHeader('content-length').send(bytes);
      if (bytes) return encodeBody(request, reply, bytes, run);
      if (resultKey && reply.statusCode === 200 && typeof body === 'string') introspections.set(resultKey, body);
      // Only mutations respond with a secret; beside a text of the caller, the compressed length would help to guess it.
      const isCompressed = operation?.operation === 'query' && typeof body === 'string' && !isPlain;
      return isCompressed ? encodeBody(request, reply, body, run) : () => body;
    };
    return isExpensive ? runExpensive(execute) : execute();
  }

  const sendPlayground = options.mountPlayground(app);
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    ...headAsGet,
    onRequest: [
      headAsGet.onRequest,
      // Authenticates before the body is read.
      async (request: FastifyRequest, reply: FastifyReply) => {
        addVary(reply, 'accept, x-carte-cost');
        if (acceptsPage(request)) return;
        addVary(reply, 'accept-encoding');
        await authenticate(request);
      },
    ],
    async handler(request, reply) {
      if (acceptsPage(request)) return sendPlayground(request, reply);
      const send = await options.runRequest(() => respond(request, reply));
      return send();
    },
  });
  rejectOtherMethods(app);
}

const allow = 'GET, HEAD, OPTIONS, POST';

/** Responds 405 to other methods, before a body is read. */
function rejectOtherMethods(app: FastifyInstance): void {
  const body = JSON.stringify({
    errors: [{ message: 'Method Not Allowed', extensions: { code: 'METHOD_NOT_ALLOWED' } }],
  });
  app.route({
    method: app.supportedMethods.filter(method => !allow.split(', ').includes(method)),
    url: '/graphql',
    onRequest: async (request, reply) =>
      reply
        .code(405)
        .headers({ allow, 'content-type': mediaType(request) })
        .send(body),
    handler: () => {},
  });
  app.options('/graphql', (_request, reply) => reply.code(204).header('allow', allow).send());
}

/** Whether a browser opens the address, rather than a client that sends a query, or a key for one that is named. */
function acceptsPage({ method, headers, query }: FastifyRequest): boolean {
  const hasQuery = isObject(query) && ('query' in query || 'key' in query);
  return method === 'GET' && !hasQuery && headers.accept?.includes('text/html') === true;
}

/** Reports the cost of the operation in a header if requested so: cached bodies stay as they are. */
function reportCost({ headers }: FastifyRequest, reply: FastifyReply, cost: number | undefined): FastifyReply {
  return cost !== undefined && headers['x-carte-cost'] === 'header' ? reply.header('x-carte-cost', cost) : reply;
}

const wantsCostInBody = ({ headers }: FastifyRequest): boolean =>
  Boolean(headers['x-carte-cost']) && headers['x-carte-cost'] !== 'header';

const maxCacheableBytes = 64 * 1024;

/** Apollo responds with 406 to all others. What caches may store does not vary by Accept. */
const acceptsJson = ({ headers: { accept }, isKeyInUrl }: FastifyRequest): boolean =>
  isKeyInUrl || accept === undefined || /\*\/\*|application\/(?:\*|json|graphql-response\+json)/i.test(accept);

/** Whether Apollo would accept the request, by its CSRF prevention also every GET with a key, it is small, and its response has no `extensions.cost`. */
function isCacheable(request: FastifyRequest): boolean {
  if (wantsCostInBody(request) || !acceptsJson(request)) return false;
  if (request.method === 'GET') return true;
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  // Variables are part of the cache key.
  const isSmall = Number(request.headers['content-length'] ?? 0) <= maxCacheableBytes;
  return request.method === 'POST' && isJson && isSmall;
}

/** Returns the function that sends a body, once it is compressed. */
type Encoded = Promise<() => FastifyReply>;

interface Encodable {
  readonly response: Pick<CachedResponse, 'bytes' | 'encoded'>;
  /** Compresses what is large. */
  readonly run: Run;
}

/** A response whose revision is known: with an ETag for a GET, or as 304. */
async function encodeCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, key, run }: Encodable & { readonly response: Pick<CachedResponse, 'revision'>; readonly key: string },
): Encoded {
  if (request.method !== 'GET') return encode(request, reply, { response, run });
  const etag = revisionETag([response.revision], hash('sha256', `${mediaType(request)} ${key}`).slice(0, 16));
  return encodeConditional(request, reply, { etag, response, run });
}

async function encodeConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, response, run }: Encodable & { readonly etag: string },
): Encoded {
  const { 'if-none-match': ifNoneMatch, 'accept-encoding': accepted } = request.headers;
  const matched = ifNoneMatch === undefined ? undefined : matchIfNoneMatch(etag, ifNoneMatch);
  const encoded = encodedETag(etag, chooseEncoding(accepted, response.bytes.length));
  reply.header('etag', matched === undefined || isWildcard(ifNoneMatch ?? '') ? encoded : matched);
  if (matched === undefined)
    return encode(request, reply.header('content-type', mediaType(request)), { response, run });
  return () => reply.code(304).removeHeader('content-type').removeHeader('content-length').send();
}

const encodeBody = (request: FastifyRequest, reply: FastifyReply, body: string | Buffer, run: Run): Encoded =>
  encode(request, reply, { response: compressible(typeof body === 'string' ? Buffer.from(body) : body), run });

async function encode(request: FastifyRequest, reply: FastifyReply, { response, run }: Encodable): Encoded {
  const { bytes, encoded } = response;
  const encoding = chooseEncoding(request.headers['accept-encoding'], bytes.length);
  // Apollo's is that of the body without an encoding.
  reply.removeHeader('content-length');
  if (!encoding) return () => reply.send(bytes);
  const body = await encoded(encoding, run);
  return () => reply.header('content-encoding', encoding).send(body);
}

function sendErrors(request: FastifyRequest, reply: FastifyReply, errors: readonly GraphQLError[]): FastifyReply {
  return reply
    .code(acceptsGraphqlResponse(request) ? 400 : 200)
    .header('content-type', mediaType(request))
    .send(JSON.stringify({ errors: withoutTokens(errors) }));
}

/** A shared response has one media type, so that it does not vary by Accept. */
const mediaType = (request: FastifyRequest): string =>
  `${acceptsGraphqlResponse(request) && !request.sharedRead ? 'application/graphql-response+json' : 'application/json'}; charset=utf-8`;
