import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import { chooseEncoding } from '../cache/compression.ts';
import type { CachedResponse, ResponseCache } from '../cache/response-cache.ts';
import { type ApolloContext, acceptsGraphqlResponse, startApollo } from './apollo.ts';
import { createCachedQueries } from './cached-queries.ts';
import { type ContextDependencies, createContext } from './context.ts';
import { type TranslateError, toHttpError } from './errors.ts';
import type { QueryLimits } from './limits.ts';
import type { TrustedDocuments } from './persisted-documents.ts';
import { mountPlayground } from './playground.ts';
import { createRequestValidator, DocumentCache } from './request-validation.ts';
import { limitListObjects, type ObjectCounts } from './response-limit.ts';
import { mountSubscriptions, type SubscriptionOptions, toSubscription } from './subscriptions/mount.ts';
import type { StreamCaller } from './subscriptions/open-streams.ts';
import { acceptsOnlyEventStream } from './subscriptions/sse.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly limits: Partial<QueryLimits> & { readonly objects: number };
  /** If present, no other document is executed. */
  readonly trusted: TrustedDocuments | undefined;
  readonly responseCache: ResponseCache;
  readonly dependencies: ContextDependencies;
  /** Returns undefined without an API key; throws `Unauthenticated` for an unknown one. */
  readonly authenticate: (request: FastifyRequest) => Promise<StreamCaller | undefined>;
  readonly translateError: TranslateError;
  readonly subscriptions: SubscriptionOptions;
}

/** Far above what clients need, and low enough to stop the parser early. */
const maxTokens = 15_000;

/** Registers `/graphql`: operations by POST and GET, subscriptions also over WebSocket, and the playground for browsers. */
export async function mountGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const { introspection, limits, trusted, responseCache, dependencies, authenticate, translateError } = options;
  const objectCounts: ObjectCounts = new WeakMap();
  const schema = limitListObjects(options.schema, limits.objects, objectCounts);
  const documents = new DocumentCache({ schema, maxTokens, introspection });
  const apollo = await startApollo(app, { schema, introspection, documents, maxTokens, translateError });
  const validateRequest = createRequestValidator({ schema, documents, limits, trusted });
  const graph = { schema, objectCounts, dependencies, validateRequest, translateError, limits };
  const subscriptions = mountSubscriptions(app, graph, options.subscriptions);
  const findCached = createCachedQueries({ schema, responseCache, dependencies, validateRequest });
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
      .send({ errors: [{ message, extensions: { code, requestId: request.id } }] });
  });

  const sendPlayground = mountPlayground(app);
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      if (acceptsPage(request)) return sendPlayground(request, reply);
      const caller = await authenticate(request);
      const context = createContext(dependencies, caller?.scope);
      const cached = isCacheablePost(request) && !trusted ? await findCached(request.body, context) : undefined;
      if (cached) return sendCached(request, reportCost(request, reply, cached.cost), cached.response);
      const parameters = request.method === 'GET' ? request.query : request.body;
      const { errors, parsed, cost } = validateRequest(parameters);
      reportCost(request, reply, cost);
      if (errors.length > 0) {
        const send = acceptsOnlyEventStream(request) ? subscriptions.sendErrors : sendErrors;
        return send(request, reply, errors);
      }
      const subscription = parsed && toSubscription(parsed, parameters, cost);
      if (subscription) return subscriptions.send(request, reply, { subscription, caller });
      if (parsed) documents.prime(parsed);
      const costInBody = wantsCostInBody(request) ? cost : undefined;
      contexts.set(request, Object.assign(context, { request, parsed, cost: costInBody }));
      return handleByApollo.call(this, request, reply);
    },
  });
}

/** Whether a browser opens the address, rather than a client that sends a query. */
function acceptsPage({ method, headers, query }: FastifyRequest): boolean {
  const hasQuery = typeof query === 'object' && query !== null && 'query' in query;
  return method === 'GET' && !hasQuery && headers.accept?.includes('text/html') === true;
}

/** Reports the cost of the operation in a header if requested so: cached bodies stay as they are. */
function reportCost({ headers }: FastifyRequest, reply: FastifyReply, cost: number | undefined): FastifyReply {
  return cost !== undefined && headers['x-carte-cost'] === 'header' ? reply.header('x-carte-cost', cost) : reply;
}

const wantsCostInBody = ({ headers }: FastifyRequest): boolean =>
  Boolean(headers['x-carte-cost']) && headers['x-carte-cost'] !== 'header';

/** Whether Apollo's CSRF prevention would accept the POST, and its response has no `extensions.cost`. */
function isCacheablePost(request: FastifyRequest): boolean {
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  return request.method === 'POST' && isJson && !wantsCostInBody(request);
}

async function sendCached(request: FastifyRequest, reply: FastifyReply, cached: CachedResponse): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers['accept-encoding'], cached.bytes.length);
  if (encoding) reply.header('content-encoding', encoding);
  return reply
    .header('content-type', mediaType(request))
    .header('vary', 'accept-encoding')
    .send(encoding ? await cached.encoded(encoding) : cached.bytes);
}

function sendErrors(request: FastifyRequest, reply: FastifyReply, errors: readonly GraphQLError[]): FastifyReply {
  return reply
    .code(acceptsGraphqlResponse(request) ? 400 : 200)
    .header('content-type', mediaType(request))
    .header('cache-control', 'no-store')
    .send(JSON.stringify({ errors }));
}

const mediaType = (request: FastifyRequest): string =>
  `${acceptsGraphqlResponse(request) ? 'application/graphql-response+json' : 'application/json'}; charset=utf-8`;
