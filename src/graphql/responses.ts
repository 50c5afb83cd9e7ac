import { type ApolloServerPlugin, type GraphQLRequest, HeaderMap } from '@apollo/server';
import type { FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { fromJson } from './admission.ts';
import type { Context } from './context.ts';
import type { KnownDocument } from './documents.ts';
import { formatError, isInternal, type Translate } from './errors.ts';

export type RequestContext = Context & {
  readonly request: FastifyRequest;
  /** What is executed, whatever text or hash the request brought; absent where Apollo is to refuse it. */
  readonly known: KnownDocument | undefined;
  /** Where the caller wants to know it. */
  readonly cost: number | undefined;
};

/** Gives responses their status and headers, and logs what must not be said. */
export function createResponsePlugin(translate: Translate): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart({ request: operation, contextValue: { request, known, cost } }) {
      Object.assign(operation, known && { query: known.text, extensions: undefined }, parametersOf(request));
      return {
        async didEncounterErrors({ errors }) {
          for (const error of errors) {
            const cause = error.originalError;
            // Without a cause it is a mistake in the query.
            if (
              cause &&
              error.extensions.code === undefined &&
              isInternal(formatError({ message: '', extensions: { code: 'INTERNAL_SERVER_ERROR' } }, error, translate))
            ) {
              request.log.error(cause);
            }
          }
        },
        async willSendResponse({ response }) {
          if (response.body.kind !== 'single') return;
          const result = response.body.singleResult;
          if (cost !== undefined) result.extensions = { ...result.extensions, cost };
          if (!result.errors) return;
          if (result.errors.some(error => error.extensions?.code === 'ANSWER_TOO_LARGE')) result.data = null;
          result.errors = result.errors.map(error => withRequestId(error, request));
          response.http.headers ??= new HeaderMap();
          const codes = result.errors.map(error => error.extensions?.code);
          if (codes.includes('UNAUTHENTICATED')) {
            response.http.status = 401;
            response.http.headers.set('www-authenticate', 'ApiKey');
          } else if (codes.includes('UNAVAILABLE')) {
            response.http.status = 503;
            response.http.headers.set('retry-after', '5');
          } else if (response.http.status === 400 && !acceptsGraphqlResponse(request)) {
            // The GraphQL-over-HTTP draft wants 200 for well-formed requests under the older media type.
            if (codes.every(code => requestErrors.has(code))) response.http.status = 200;
          }
        },
      };
    },
  };
}

/** The variables of a URL, parsed by us: Apollo has them from `JSON.parse`, which may confuse escaped keys (input/json.ts). */
function parametersOf({ method, query }: FastifyRequest): Pick<GraphQLRequest, 'variables'> {
  if (method !== 'GET') return {};
  const { variables } = query as Readonly<Record<string, unknown>>;
  // Apollo has made sure that they are an object, if they are given.
  return { variables: fromJson(variables) as NonNullable<GraphQLRequest['variables']> };
}

const requestErrors = new Set<unknown>(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT']);

function withRequestId(error: GraphQLFormattedError, request: FastifyRequest): GraphQLFormattedError {
  return isInternal(error) ? { ...error, extensions: { ...error.extensions, requestId: request.id } } : error;
}

export function acceptsGraphqlResponse({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('application/graphql-response+json') === true;
}
