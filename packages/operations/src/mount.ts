import { Readable } from 'node:stream';
import { isPause, largeBodyBytes, runAtOnce } from '@carte/base/time-slice';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { acceptBodies, compileArguments } from './arguments.ts';
import type { Contract, Operation } from './contract/contract.ts';
import { deprecationHeaders } from './contract/deprecation.ts';
import { colonPath, ifMatchHeader } from './contract/parameters.ts';
import { HttpError, toHttpError } from './errors.ts';
import { compileCost, compileVariants, type ExecuteOptions, type RestResponse, type Run, runNow } from './execute.ts';
import type { Variables } from './execution/compile.ts';
import type { DeduplicatedBuffer } from './execution/json-writer.ts';
import { addVary } from './http/vary.ts';
import type { SofaRoute } from './sofa.ts';

/** A set of operations with the routes that SOFA has generated from it. */
export interface RouteSet<Caller> extends Pick<ExecuteOptions<Caller>, 'createContext' | 'limits'> {
  readonly contract: Contract;
  readonly routes: readonly SofaRoute[];
}

export interface RestOptions<Caller> extends Omit<ExecuteOptions<Caller>, 'createContext' | 'limits'> {
  readonly sets: readonly RouteSet<Caller>[];
  /** Finds who calls, before the body is read; null without credentials. Throws `Unauthenticated` for unknown ones. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller | null>;
  /** Finds what is to be done for each request that has read by an operation; undefined where nothing is. */
  readonly onRead?: ((operation: Operation) => OnRead | undefined) | undefined;
  /** Runs the current request when it is the turn of its caller. */
  readonly runRequest?: Run | undefined;
  /** Parameters of any query string that the service reads itself; others that a route does not have are 422, unless its set ignores unknown fields. */
  readonly queryParameters?: readonly string[] | undefined;
  /** In bytes; 10 MiB by default. */
  readonly bodyLimit?: number;
  /** Translates errors of libraries to client errors, e.g. a lost connection to `Unavailable`; undefined for a bug. */
  readonly translateError?: (error: unknown) => Error | undefined;
}

type OnRead = (request: FastifyRequest, variables: Variables, response: RestResponse) => Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Executes the operation of the route for the caller, who is authorized. */
    // On the request itself: a WeakMap beside it costs more.
    executeOperation: ((variables: Variables, cost: () => number) => Promise<RestResponse>) | null;
  }
}

/** A plugin that mounts the routes which SOFA has generated from sets of operations. */
export async function mountRest<Caller>(app: FastifyInstance, options: RestOptions<Caller>): Promise<void> {
  acceptBodies(app, options.bodyLimit ?? 10 * 1024 * 1024);
  app.decorateRequest('executeOperation', null);
  app.setErrorHandler((error, request, reply) => sendError(options.translateError?.(error) ?? error, request, reply));
  announceDeprecations(
    app,
    options.sets.flatMap(({ contract }) => contract.operations),
  );
  for (const set of options.sets) for (const route of set.routes) mountRoute(app, route, { ...options, ...set });
  mountFallbackRoutes(
    app,
    options.sets.flatMap(({ contract }) => contract.operations),
  );
}

/** Adds the headers of deprecated operations to every response of their routes, and of all routes at a path where each is. */
function announceDeprecations(app: FastifyInstance, operations: readonly Operation[]): void {
  const byUrl = Map.groupBy(operations, ({ route }) => colonPath(route.path));
  app.addHook('onRoute', route => {
    const onPath = byUrl.get(route.url) ?? byUrl.get(toggleTrailingSlash(route.url)) ?? [];
    const method = route.method === 'HEAD' ? 'GET' : route.method;
    const own = onPath.filter(operation => operation.route.method === method);
    const headers = deprecationHeaders(own.length > 0 ? own : onPath);
    if (!headers.deprecation) return;
    const announce: onSendHookHandler = (_request, reply, payload, done) => {
      reply.headers(headers);
      done(null, payload);
    };
    // That of HEAD sends no body.
    route.onSend = [announce, route.onSend ?? []].flat();
  });
}

function mountRoute<Caller>(
  app: FastifyInstance,
  { operation, method, path, handle }: SofaRoute,
  options: RestOptions<Caller> & RouteSet<Caller>,
): void {
  const { contract, runRequest = runNow, runExpensive = runNow } = options;
  const readArguments = compileArguments(operation, contract, options.queryParameters);
  const compile = () => ({
    authorize: compileVariants(contract, operation, options),
    onRead: method === 'GET' ? options.onRead?.(operation) : undefined,
  });
  // At the first request, since a start would wait for all routes otherwise.
  let compiled: ReturnType<typeof compile> | undefined;
  const costOf = compileCost(operation, options);
  const headers = operation.parameters.flatMap(({ header }) => header ?? []);
  const vary = method === 'GET' ? headers.join(', ').toLowerCase() : '';
  app.route({
    method,
    url: path,
    config: { operation: operation.name, isConditional: headers.includes(ifMatchHeader) },
    // Before the body is read.
    onRequest: async (request, reply) => {
      if (vary) addVary(reply, vary);
      const caller = await options.authenticate(request);
      compiled ??= compile();
      const execute = compiled.authorize(caller);
      if (caller === null) return;
      request.executeOperation = (variables, cost) => execute(variables, { caller, headers: request.headers, cost });
    },
    handler: async (request, reply) => {
      const { executeOperation } = request;
      if (!executeOperation) throw new Error('A request was not authenticated');
      const hasLargeBody = Buffer.isBuffer(request.body) && request.body.length >= largeBodyBytes;
      const respond = async () => {
        const variables = await readArguments(request);
        const response = await handle(executeOperation, variables, costOf(variables));
        await compiled?.onRead?.(request, variables, response);
        return response;
      };
      const task = hasLargeBody ? () => runExpensive(respond) : respond;
      return send(await runRequest(task), reply);
    },
  });
}

function send({ status, etag, body, encoding }: RestResponse, reply: FastifyReply): FastifyReply {
  if (etag !== undefined) reply.header('etag', etag);
  if (encoding !== undefined) addVary(reply, 'accept-encoding');
  if (encoding !== undefined && encoding !== 'identity') reply.header('content-encoding', encoding);
  return sendJson(reply.code(status), body);
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, detail } = toHttpError(error, isConditional(request)) ?? internalServerError(error, request);
  return sendJson(reply.code(status).headers(headers), Buffer.from(JSON.stringify({ detail })));
}

/** Whether If-Match was given to a route that takes it. */
function isConditional({ headers, routeOptions: { config } }: FastifyRequest): boolean {
  return headers['if-match'] !== undefined && 'isConditional' in config && config.isConditional === true;
}

function internalServerError(error: unknown, request: FastifyRequest): HttpError {
  request.log.error({ err: error, ...request.routeOptions.config }, 'A request failed');
  return new HttpError(500, 'Internal server error', { 'x-request-id': request.id });
}

/** In bytes; larger bodies are streamed, because buffered ones would fill the memory while slow clients read them. */
const minStreamLength = 256 * 1024;

/** Sends bytes, because Fastify adds a charset to strings, which `application/json` does not have. */
function sendJson(reply: FastifyReply, body: Buffer | DeduplicatedBuffer | undefined): FastifyReply {
  if (body === undefined) return reply.send();
  reply.header('content-type', 'application/json');
  if (Buffer.isBuffer(body)) return reply.send(body);
  if (body.length < minStreamLength) return reply.send(runAtOnce(body.toBuffer()));
  return reply.header('content-length', body.length).send(streamInTurns(body.slices()));
}

/** Streams 2 MB in a turn of the event loop: a connection that takes much at once would get all of it in one. */
function streamInTurns(buffers: Iterator<Buffer, undefined>): Readable {
  let count = 0;
  return new Readable({
    read() {
      const push = () => void this.push(buffers.next().value ?? null);
      if (isPause(count++)) setImmediate(push);
      else push();
    },
  });
}

/** Mounts 405 for other methods of a path, 307 for a missing or superfluous trailing slash, and 404 for any other path. */
function mountFallbackRoutes(app: FastifyInstance, operations: readonly Operation[]): void {
  const byPath = Map.groupBy(operations, ({ route }) => route.path);
  for (const [path, onPath] of byPath) {
    const methods = onPath.map(({ route }) => route.method);
    mountOtherMethods(app, path, methods);
    const alternative = toggleTrailingSlash(path);
    if (byPath.has(alternative)) continue;
    // The header is what Fastify adds to GET, and not to HEAD.
    const redirect = (request: FastifyRequest, reply: FastifyReply) =>
      reply.header('content-length', '0').redirect(documentedUrl(request), 307);
    respondAlways(app, { url: colonPath(alternative) }, redirect);
  }
  for (const prefix of new Set([...byPath.keys()].map(path => path.split('/')[1]))) {
    respondAlways(app, { url: `/${prefix}/*` }, () => {
      throw new HttpError(404, 'Not Found');
    });
  }
}

/** Mounts a response that does not depend on the body, which is not read. */
function respondAlways(
  app: FastifyInstance,
  { url, method = app.supportedMethods }: { readonly url: string; readonly method?: string[] },
  respond: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  app.route({ method, url, onRequest: async (request, reply) => respond(request, reply), handler: () => {} });
}

/** Mounts 405 for the methods that a path does not have, and OPTIONS. */
export function mountOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
  const allow = allowed.join(', ');
  const others = app.supportedMethods.filter(method => !allowed.includes(method));
  respondAlways(app, { url: colonPath(path), method: others }, () => {
    throw new HttpError(405, 'Method Not Allowed', { allow });
  });
  app.options(colonPath(path), (_request, reply) => reply.code(204).header('allow', allow).send());
}

const toggleTrailingSlash = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

function documentedUrl({ url }: FastifyRequest): string {
  const [, path = '', query = ''] = /^(?:\w+:\/\/[^/]*)?([^?]*)(.*)$/s.exec(url) ?? [];
  return toggleTrailingSlash(path) + query;
}
