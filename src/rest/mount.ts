import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { AnswerCache } from '../answers/cache.ts';
import type { Packed } from '../answers/packed.ts';
import type { ReadStamp } from '../answers/stamped.ts';
import { acceptBodies } from './body.ts';
import { type Contract, loadContract } from './contract/contract.ts';
import { colonPath } from './contract/parameters.ts';
import { createEndpoints, type Endpoint } from './endpoint.ts';
import { Problem, problemOf } from './errors.ts';
import { mountRemainder } from './remainder.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a REST route; who that is, only the service knows. On the request itself, since a WeakMap costs more. */
    caller: object | null;
  }
}

export interface RestOptions<Caller extends object> {
  /** The executable graph. */
  readonly schema: GraphQLSchema;
  /** Says who is calling; throws `Unauthenticated`, or `Forbidden` for a caller who may not write. */
  readonly authenticate: (request: FastifyRequest, operation: { readonly writes: boolean }) => Promise<Caller>;
  /** Where answers are kept that depend on a store's configuration alone. */
  readonly answers: AnswerCache;
  /** Tells whether a store has changed, for less than its data costs. */
  readonly readStamp: ReadStamp<Caller>;
  /** What resolvers work with; made anew for every request. */
  readonly createContext: (caller: Caller) => unknown;
  /** In bytes; 10 MiB unless told. */
  readonly bodyLimit?: number;
  /** What an error of a library means in our terms, e.g. `Unavailable` for a lost connection; undefined for a bug. */
  readonly translate?: (error: unknown) => Error | undefined;
}

/** Puts every route of schema/rest on the server. Throws a `ContractError` when the texts there do not fit the graph. */
export function mountRest<Caller extends object>(app: FastifyInstance, options: RestOptions<Caller>): Contract {
  const contract = loadContract(options.schema);
  const endpoints = createEndpoints(contract, options);
  app.register(async scope => {
    scope.decorateRequest('caller', null);
    acceptBodies(scope, options.bodyLimit ?? 10 * 1024 * 1024);
    scope.setErrorHandler((error, request, reply) => sendProblem(options.translate?.(error) ?? error, request, reply));
    for (const endpoint of endpoints) mountEndpoint(scope, endpoint, options);
    mountRemainder(scope, contract);
  });
  return contract;
}

function mountEndpoint<Caller extends object>(
  app: FastifyInstance,
  { operation, answer }: Endpoint<Caller>,
  { authenticate }: RestOptions<Caller>,
): void {
  app.route({
    method: operation.route.method,
    url: colonPath(operation.route.path),
    config: { operation: operation.name },
    // Before the body is read, let alone looked at.
    onRequest: async (request, reply) => {
      // What a key may see is for its bearer alone, and is asked for again each time, if only by its tag.
      reply.header('cache-control', 'private, no-cache');
      request.caller = await authenticate(request, { writes: operation.kind === 'mutation' });
    },
    handler: async (request, reply) => {
      if (!request.caller) throw new Error('A request came past authentication');
      const { status, tag, body, encoding } = await answer(request, request.caller as Caller);
      if (tag !== undefined) reply.header('etag', tag);
      if (encoding !== undefined) reply.header('vary', 'accept-encoding');
      if (encoding !== undefined && encoding !== 'identity') reply.header('content-encoding', encoding);
      return sendJson(reply.code(status), body);
    },
  });
}

/** The one place where an error becomes an answer. */
function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error) ?? unexpected(error, request);
  return sendJson(
    reply.code(problem.status).headers(problem.headers),
    Buffer.from(JSON.stringify({ detail: problem.detail })),
  );
}

/** As bytes: to a text Fastify adds a charset, which JSON's media type does not have. */
function sendJson(reply: FastifyReply, body: Buffer | Packed | undefined): FastifyReply {
  if (body === undefined) return reply.send();
  reply.header('content-type', 'application/json');
  if (Buffer.isBuffer(body)) return reply.send(body);
  if (body.length < worthStreaming) return reply.send(body.unpack());
  return reply.header('content-length', body.length).send(Readable.from(body.chunks()));
}

/** Large enough that answers on their way would fill the memory, long before their readers have taken them. */
const worthStreaming = 256 * 1024;

function unexpected(error: unknown, request: FastifyRequest): Problem {
  request.log.error({ err: error, ...request.routeOptions.config }, 'A request failed');
  return new Problem(500, 'Internal server error', { 'x-request-id': request.id });
}
