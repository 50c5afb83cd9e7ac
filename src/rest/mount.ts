import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeduplicatedBuffer } from '../cache/deduplicated-buffer.ts';
import { compileArguments } from './arguments.ts';
import { acceptBodies } from './body.ts';
import { type Contract, loadContract } from './contract/contract.ts';
import { Problem, problemOf } from './errors.ts';
import { compileExecute, type ExecuteOptions, type RestResponse } from './execute.ts';
import { mountFallbackRoutes } from './fallback-routes.ts';
import { generateRoutes, type SofaRoute } from './sofa.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a REST route; who that is, only the service knows. On the request itself, since a WeakMap costs more. */
    caller: object | null;
  }
}

export interface RestOptions<Caller extends object> extends ExecuteOptions<Caller> {
  /** Identifies the caller; throws `Unauthenticated`, or `Forbidden` for a caller who may not write. */
  readonly authenticate: (request: FastifyRequest, operation: { readonly writes: boolean }) => Promise<Caller>;
  /** In bytes; 10 MiB unless given. */
  readonly bodyLimit?: number;
  /** What an error of a library means in our terms, e.g. `Unavailable` for a lost connection; undefined for a bug. */
  readonly translate?: (error: unknown) => Error | undefined;
}

export interface Rest {
  readonly contract: Contract;
  readonly routes: readonly SofaRoute[];
}

/** Registers the routes that SOFA generates from schema/rest. Throws a `ContractError` when its texts do not fit the graph. */
export function mountRest<Caller extends object>(app: FastifyInstance, options: RestOptions<Caller>): Rest {
  const contract = loadContract(options.schema);
  const routes = generateRoutes(contract);
  app.register(async scope => {
    scope.decorateRequest('caller', null);
    acceptBodies(scope, options.bodyLimit ?? 10 * 1024 * 1024);
    scope.setErrorHandler((error, request, reply) => sendProblem(options.translate?.(error) ?? error, request, reply));
    for (const route of routes) mountRoute(scope, contract, route, options);
    mountFallbackRoutes(scope, contract);
  });
  return { contract, routes };
}

function mountRoute<Caller extends object>(
  app: FastifyInstance,
  contract: Contract,
  { operation, method, path, handle }: SofaRoute,
  options: RestOptions<Caller>,
): void {
  const readArguments = compileArguments(options.schema, operation, contract.operations);
  const execute = compileExecute(contract, operation, options);
  app.route({
    method,
    url: path,
    config: { operation: operation.name },
    // Before the body is read.
    onRequest: async (request, reply) => {
      // A response is for the bearer of the key alone, and is revalidated each time.
      reply.header('cache-control', 'private, no-cache');
      request.caller = await options.authenticate(request, { writes: operation.kind === 'mutation' });
    },
    handler: async (request, reply) => {
      if (!request.caller) throw new Error('A request was not authenticated');
      const authenticated = { caller: request.caller as Caller, headers: request.headers };
      const response = await handle(readArguments(request), variables => execute(variables, authenticated));
      return send(response, reply);
    },
  });
}

function send({ status, etag, body, encoding }: RestResponse, reply: FastifyReply): FastifyReply {
  if (etag !== undefined) reply.header('etag', etag);
  if (encoding !== undefined) reply.header('vary', 'accept-encoding');
  if (encoding !== undefined && encoding !== 'identity') reply.header('content-encoding', encoding);
  return sendJson(reply.code(status), body);
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
function sendJson(reply: FastifyReply, body: Buffer | DeduplicatedBuffer | undefined): FastifyReply {
  if (body === undefined) return reply.send();
  reply.header('content-type', 'application/json');
  if (Buffer.isBuffer(body)) return reply.send(body);
  if (body.length < worthStreaming) return reply.send(body.unpack());
  return reply.header('content-length', body.length).send(Readable.from(body.chunks()));
}

/** Large enough that responses in flight would fill the memory, long before their readers have taken them. */
const worthStreaming = 256 * 1024;

function unexpected(error: unknown, request: FastifyRequest): Problem {
  request.log.error({ err: error, ...request.routeOptions.config }, 'A request failed');
  return new Problem(500, 'Internal server error', { 'x-request-id': request.id });
}
