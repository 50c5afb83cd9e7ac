import type { IncomingMessage } from 'node:http';
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import { RetryableError } from '@carte/base/errors';
import type { Variables } from '@carte/operations/execution/compile';
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { FormattedExecutionResult } from 'graphql';
import type { Context } from './context.ts';
import { findClientError, formatError, isInternal, type TranslateError, toHttpError } from './errors.ts';
import type { DocumentCache, DocumentOptions, ParsedDocument } from './request-validation.ts';
import { responseTooLarge } from './response-limit.ts';
import { stringifyResponse } from './stringify-response.ts';

export type ApolloContext = Context & {
  readonly request: FastifyRequest;
  /** The document to execute, be it sent or persisted; absent for a request that Apollo rejects. */
  readonly parsed: ParsedDocument | undefined;
  /** Coerced; absent with the document. */
  readonly variables: Variables | undefined;
  /** Set if the client requests `extensions.cost`. */
  readonly cost: number | undefined;
  readonly compiled: { readonly render: () => Promise<Buffer>; bytes?: Buffer } | undefined;
};

interface ApolloOptions extends DocumentOptions {
  readonly documents: DocumentCache;
  readonly translateError: TranslateError;
}

export async function startApollo(app: FastifyInstance, options: ApolloOptions): Promise<ApolloServer<ApolloContext>> {
  const { schema, introspection, documents, maxTokens, translateError } = options;
  const apollo = new ApolloServer<ApolloContext>({
    schema,
    introspection,
    formatError: (formatted, error) => formatError(formatted, error, translateError),
    includeStacktraceInErrorResponses: false,
    stringifyResult: result => (result.data === rendered ? '' : stringifyResponse(result)),
    parseOptions: { maxTokens },
    documentStore: documents.apolloStore,
    // Persisted queries are resolved before Apollo is called (request-validation.ts).
    persistedQueries: false,
    csrfPrevention: { requestHeaders: ['x-api-key', 'x-apollo-operation-name', 'apollo-require-preflight'] },
    stopOnTerminationSignals: false,
    plugins: [
      fastifyApolloDrainPlugin(app),
      ApolloServerPluginLandingPageDisabled(),
      // It is added to subgraphs, and would trace every field where a gateway asks for it.
      ApolloServerPluginInlineTraceDisabled(),
      // It visits every field of a response to compute a header that is not used.
      ApolloServerPluginCacheControlDisabled(),
      responsePlugin(translateError),
    ],
  });
  await apollo.start();
  return apollo;
}

/** Passes the parsed document to Apollo, logs internal errors, and sets the status and headers of the response. */
function responsePlugin(translateError: TranslateError): ApolloServerPlugin<ApolloContext> {
  return {
    async requestDidStart({ request: operation, contextValue }) {
      const { request, parsed, variables, cost, compiled } = contextValue;
      if (parsed) Object.assign(operation, { query: parsed.text, extensions: undefined, variables });
      /** The first error whose request may succeed later. */
      let retryable: RetryableError | undefined;
      return {
        async responseForOperation() {
          if (!compiled) return null;
          try {
            compiled.bytes = await compiled.render();
            return responseOf({ data: rendered });
          } catch (error) {
            // Executed by graphql-js, it has the same error at its path, and the rest of its data; what has waited for too long does not wait again.
            const clientError = findClientError(error, translateError);
            if (!(clientError instanceof RetryableError)) return null;
            retryable = clientError;
            const errors = [formatError({ message: clientError.message }, clientError, translateError)];
            return responseOf({ errors, data: null });
          }
        },
        async didEncounterErrors({ errors }) {
          for (const error of errors) {
            // Without an original error it is an error of the request.
            if (!error.originalError || error.extensions.code !== undefined) continue;
            const clientError = findClientError(error, translateError);
            if (!clientError) request.log.error(error.originalError);
            if (clientError instanceof RetryableError) retryable ??= clientError;
          }
        },
        async willSendResponse({ response }) {
          if (response.body.kind !== 'single') return;
          const result = response.body.singleResult;
          if (cost !== undefined) result.extensions = { ...result.extensions, cost };
          if (!result.errors) return;
          const codes = result.errors.map(error => error.extensions?.code);
          if (codes.includes(responseTooLarge)) result.data = null;
          result.errors = result.errors.map(error =>
            isInternal(error) ? { ...error, extensions: { ...error.extensions, requestId: request.id } } : error,
          );
          response.http.headers ??= new HeaderMap();
          if (codes.includes('UNAUTHENTICATED')) {
            response.http.status = 401;
            response.http.headers.set('www-authenticate', 'ApiKey');
          } else if (retryable) {
            response.http.status = toHttpError(retryable).status;
            response.http.headers.set('retry-after', String(retryable.retryAfterSeconds));
          } else if (response.http.status === 400 && !acceptsGraphqlResponse(request)) {
            // GraphQL over HTTP: under application/json, a well-formed request with errors has status 200.
            if (codes.every(code => requestErrorCodes.has(code))) response.http.status = 200;
          }
        },
      };
    },
  };
}

const responseOf = (singleResult: FormattedExecutionResult) => ({
  http: { headers: new HeaderMap() },
  body: { kind: 'single' as const, singleResult },
});

/** In place of data that are rendered already, which are sent instead of Apollo's text. */
const rendered = {};

const requestErrorCodes = new Set<unknown>(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT']);

export function acceptsGraphqlResponse({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('application/graphql-response+json') === true;
}

const heads = new WeakSet<IncomingMessage>();

/** Hooks by which a route handles HEAD as GET, since Apollo refuses it; Fastify leaves out the body, and gives its length. */
export const headAsGet = {
  onRequest({ raw }, _reply, done) {
    if (raw.method === 'HEAD') {
      heads.add(raw);
      raw.method = 'GET';
    }
    done();
  },
  onSend({ raw }, _reply, payload, done) {
    if (heads.has(raw)) raw.method = 'HEAD';
    done(null, payload);
  },
} satisfies RouteShorthandOptions;
