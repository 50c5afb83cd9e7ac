import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import { chooseEncoding } from '../cache/compression.ts';
import type { CachedResponse, ResponseCache } from '../cache/response-cache.ts';
import type { ReadRevisions } from '../cache/revisions.ts';
import { createAdmission } from './admission.ts';
import { createCachedQueries } from './cached-queries.ts';
import type { Context } from './context.ts';
import { Documents } from './documents.ts';
import { formatError, rejectionOf, type Translate } from './errors.ts';
import { boundLists, stringifyAnswer } from './limits/answer.ts';
import type { DocumentLimits } from './limits/judge.ts';
import { mountPlayground } from './playground.ts';
import { acceptsGraphqlResponse, createResponsePlugin, type RequestContext } from './responses.ts';
import type { TrustedDocuments } from './trusted.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly limits: Partial<DocumentLimits> & { readonly objects: number };
  /** With them, no other document is executed. */
  readonly trusted: TrustedDocuments | undefined;
  /** Where responses are cached that depend on a store's configuration alone. */
  readonly responseCache: ResponseCache;
  /** Throws `Unauthenticated` for a key that is not known; a request without a key gets a context without a scope. */
  readonly createContext: (request: FastifyRequest) => Promise<Context>;
  readonly translate: Translate;
  /** Tells whether a store has changed, for less than its data costs. */
  readonly readRevisions: ReadRevisions<Context>;
}

/** Far more than any query of ours needs, and few enough to refuse a flood before it is understood. */
const maxTokens = 15_000;

/** `/graphql`: queries by POST and GET, and the playground for a browser. */
export async function mountGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const { translate, introspection, limits, trusted } = options;
  const schema = boundLists(options.schema, limits.objects);
  const documents = new Documents({ schema, maxTokens, introspection });
  const apollo = await startApollo(app, schema, documents, options);
  const admit = createAdmission({ schema, documents, limits, trusted });
  const answerKept = createCachedQueries({
    schema,
    responseCache: options.responseCache,
    readRevisions: options.readRevisions,
    documentOf: request => admit(request).known?.document,
  });
  const contexts = new WeakMap<FastifyRequest, RequestContext>();
  const handle = fastifyApolloHandler(apollo, {
    // Apollo would answer 500 if the context failed, so it is made before Apollo is called.
    context: async request => contexts.get(request) as RequestContext,
  });

  app.setErrorHandler((error: Error, request, reply) => {
    const { status, headers, code, message } = rejectionOf(translate(error) ?? error);
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
      if (wantsPage(request)) return sendPlayground(request, reply);
      const context = await options.createContext(request);
      const kept = isPlainPost(request) && !trusted ? await answerKept(request.body, context) : undefined;
      if (kept) return sendKept(request, reply, kept);
      const parameters = request.method === 'GET' ? request.query : request.body;
      const { errors, known, cost } = admit(parameters);
      if (errors.length > 0) return sendRefused(request, reply, errors);
      if (known) documents.share(known);
      // Added to the context rather than copied with it: what it makes when asked would all be made now.
      const shown = request.headers['x-carte-cost'] ? cost : undefined;
      contexts.set(request, Object.assign(context, { request, known, cost: shown }));
      return handle.call(this, request, reply);
    },
  });
}

async function startApollo(
  app: FastifyInstance,
  schema: GraphQLSchema,
  { store: documentStore }: Documents,
  { introspection, translate }: GraphqlOptions,
) {
  const apollo = new ApolloServer<RequestContext>({
    schema,
    introspection,
    formatError: (formatted, error) => formatError(formatted, error, translate),
    includeStacktraceInErrorResponses: false,
    stringifyResult: stringifyAnswer,
    parseOptions: { maxTokens },
    documentStore,
    persistedQueries: false,
    csrfPrevention: { requestHeaders: ['x-api-key', 'x-apollo-operation-name', 'apollo-require-preflight'] },
    stopOnTerminationSignals: false,
    plugins: [
      fastifyApolloDrainPlugin(app),
      ApolloServerPluginLandingPageDisabled(),
      // It walks every field of an answer to work out a header that nobody asked for.
      ApolloServerPluginCacheControlDisabled(),
      createResponsePlugin(translate),
    ],
  });
  await apollo.start();
  return apollo;
}

/** A browser that opens the address, rather than a client that sends a query. */
function wantsPage({ method, headers, query }: FastifyRequest): boolean {
  const asksQuery = typeof query === 'object' && query !== null && 'query' in query;
  return method === 'GET' && !asksQuery && headers.accept?.includes('text/html') === true;
}

/** A POST that no page elsewhere can make a browser send unasked, and that wants nothing beside its answer. */
function isPlainPost({ method, headers }: FastifyRequest): boolean {
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  return method === 'POST' && isJson && !headers['x-carte-cost'];
}

async function sendKept(request: FastifyRequest, reply: FastifyReply, kept: CachedResponse): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers['accept-encoding'], kept.bytes.length);
  if (encoding) reply.header('content-encoding', encoding);
  return reply
    .header('content-type', mediaType(request))
    .header('vary', 'accept-encoding')
    .send(encoding ? await kept.encoded(encoding) : kept.bytes);
}

function sendRefused(request: FastifyRequest, reply: FastifyReply, errors: readonly GraphQLError[]): FastifyReply {
  const status = acceptsGraphqlResponse(request) ? 400 : 200;
  return reply
    .code(status)
    .header('content-type', mediaType(request))
    .header('cache-control', 'no-store')
    .send(JSON.stringify({ errors }));
}

const mediaType = (request: FastifyRequest): string =>
  `${acceptsGraphqlResponse(request) ? 'application/graphql-response+json' : 'application/json'}; charset=utf-8`;
