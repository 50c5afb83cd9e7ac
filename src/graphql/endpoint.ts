import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { Unauthenticated } from '../errors.ts';
import type { Context } from './context.ts';
import { formatError, isInternal } from './errors.ts';
import { renderPlayground } from './playground.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  /** Throws `Unauthenticated` for a key that is not known; a request without a key gets a context without reach. */
  readonly createContext: (request: FastifyRequest) => Promise<Context>;
}

/** Far more than any query of ours needs, and few enough to refuse a flood before it is understood. */
const mostTokens = 15_000;

/** `/graphql`: queries by POST and GET, and the playground for a browser. */
export async function mountGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const apollo = new ApolloServer<RequestContext>({
    schema: options.schema,
    introspection: options.introspection,
    formatError,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: mostTokens },
    csrfPrevention: { requestHeaders: ['x-api-key', 'x-apollo-operation-name', 'apollo-require-preflight'] },
    stopOnTerminationSignals: false,
    plugins: [
      fastifyApolloDrainPlugin(app),
      ApolloServerPluginLandingPageDisabled(),
      // It walks every field of an answer to work out a header that nobody asked for.
      ApolloServerPluginCacheControlDisabled(),
      responsePlugin,
    ],
  });
  await apollo.start();

  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error instanceof Unauthenticated ? 401 : (error.statusCode ?? 500);
    if (status >= 500) request.log.error(error);
    const message = status >= 500 ? 'Internal server error' : error.message;
    const code = status === 401 ? 'UNAUTHENTICATED' : status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST';
    if (status === 401) reply.header('www-authenticate', 'ApiKey');
    return reply.code(status).send({ errors: [{ message, extensions: { code, requestId: request.id } }] });
  });

  const contexts = new WeakMap<FastifyRequest, Context>();
  const handle = fastifyApolloHandler(apollo, {
    // Apollo would answer 500 if the context failed, so it is made before Apollo is called.
    context: async request => ({ ...(contexts.get(request) as Context), request }),
  });
  let playground: Promise<string> | undefined;
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      if (wantsPage(request)) {
        playground ??= renderPlayground();
        return reply.type('text/html; charset=utf-8').send(await playground);
      }
      contexts.set(request, await options.createContext(request));
      return handle.call(this, request, reply);
    },
  });
}

type RequestContext = Context & { readonly request: FastifyRequest };

/** A browser that opens the address, rather than a client that sends a query. */
function wantsPage({ method, headers, query }: FastifyRequest): boolean {
  const asksQuery = typeof query === 'object' && query !== null && 'query' in query;
  return method === 'GET' && !asksQuery && headers.accept?.includes('text/html') === true;
}

const responsePlugin: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ contextValue: { request } }) {
    return {
      async didEncounterErrors({ errors }) {
        for (const error of errors) {
          const cause = error.originalError ?? error;
          if (isInternal(formatError(error.toJSON(), error)) || !('extensions' in error)) request.log.error(cause);
        }
      },
      async willSendResponse({ response, errors }) {
        if (response.body.kind !== 'single' || !errors) return;
        const result = response.body.singleResult;
        result.errors = (result.errors ?? []).map(error =>
          isInternal(error) ? { ...error, extensions: { ...error.extensions, requestId: request.id } } : error,
        );
        response.http.headers ??= new HeaderMap();
        if (result.errors.some(error => error.extensions?.code === 'UNAUTHENTICATED')) {
          response.http.status = 401;
          response.http.headers.set('www-authenticate', 'ApiKey');
        } else if (response.http.status === 400 && !acceptsGraphqlResponse(request)) {
          // The GraphQL-over-HTTP draft wants 200 for well-formed requests under the older media type.
          if (result.errors.every(error => requestErrors.has(error.extensions?.code))) response.http.status = 200;
        }
      },
    };
  },
};

const requestErrors = new Set<unknown>(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT']);

function acceptsGraphqlResponse({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('application/graphql-response+json') === true;
}
