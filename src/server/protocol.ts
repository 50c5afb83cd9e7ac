import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyHttpOptions, FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../config.ts';
import { isWebSocketRequest, lastResponse } from '../graphql/subscriptions/websocket.ts';
import { sendDetail } from './error-handler.ts';

// An import would evaluate every export of the module, one of which loads Node's fetch: some 50 ms of each start.
const { METHODS } = process.getBuiltinModule('node:http');

const maxHeaderSize = 16 * 1024;
const timeoutCheckIntervalMs = 500;
/** Longer than any statement may take: a socket without activity for so long belongs to a client that does not read. */
const socketTimeoutMs = 120_000;

/** Time-outs and size limits of Node's HTTP server, and the responses to requests that exceed them. */
export function httpOptions({ receiveSeconds, keepAliveSeconds }: Config['http']) {
  const requestTimeout = receiveSeconds * 1_000;
  return {
    requestTimeout,
    keepAliveTimeout: keepAliveSeconds * 1_000,
    connectionTimeout: socketTimeoutMs,
    http: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: timeoutCheckIntervalMs,
      maxHeaderSize,
      // The hook of `protocol` does it, with a body that names the problem.
      requireHostHeader: false,
      shouldUpgradeCallback: isWebSocketRequest,
    },
    clientErrorHandler: handleClientError as (error: ConnectionError, socket: Socket) => void,
  } satisfies FastifyHttpOptions<Server>;
}

const clientErrors: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than this service accepts.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    '413 Content Too Large',
    'The chunk extensions are larger than this service accepts.',
  ],
  HPE_INVALID_URL: ['400 Bad Request', 'The URL has a character that must be percent-encoded, in UTF-8.'],
};

/** Fastify calls it on the instance. */
function handleClientError(this: FastifyInstance, error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const received: unknown = error.rawPacket;
  if (
    Buffer.isBuffer(received) &&
    error.code === 'HPE_INVALID_METHOD' &&
    respondToUnknownMethod(this, received, socket)
  )
    return;
  const [status, detail] = clientErrors[error.code ?? ''] ?? ['400 Bad Request', 'The request is not HTTP.'];
  writeResponse(socket, status, detail);
}

/** Bounds on how much of a body that is too large is discarded, so that a client that writes before it reads gets the 413. */
const discardBytes = 64 * 1024 * 1024;
const discardMs = 5_000;

/** Details of HTTP that Node or Fastify handle in a way that clients of the interface stumble over. */
export const protocol = fp(
  async (app: FastifyInstance) => {
    // A client may shut down its writing side and wait for the response; Node's default is to close the connection.
    Object.assign(app.server, { httpAllowHalfOpen: true });
    // Without a listener, Node closes the connection.
    app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      socket.on('error', () => {});
      const detail = 'This service is no proxy: CONNECT is not supported.';
      writeResponse(socket, '405 Method Not Allowed', detail, ['Allow: GET, HEAD, OPTIONS, POST']);
    });
    const sendsBody = handleExpectations(app);
    app.addHook('onSend', (request, reply, payload, done) => {
      // A client that waits for 100 Continue sends no body.
      if (reply.statusCode !== 413 || !sendsBody(request)) return done(null, payload);
      void discardBody(request.raw).then(() => done(null, payload));
    });
    app.addHook('onRequest', (request, reply, done) => {
      const { raw } = request;
      raw.method = otherMethods.get(raw) ?? raw.method;
      const detail = problemOf(request);
      if (detail !== undefined) return void sendDetail(reply.code(400).header('connection', 'close'), detail);
      const coding = request.headers['transfer-encoding'];
      // Node undoes the last coding, and leaves the others to the application.
      if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return done();
      const unsupported = `The transfer coding "${coding.slice(0, 100)}" is not supported, only "chunked".`;
      sendDetail(reply.code(415).header('connection', 'close'), unsupported);
    });
  },
  // Requests that are rejected here are logged and counted as well.
  { name: 'protocol', dependencies: ['requests'] },
);

function problemOf({ raw, url }: FastifyRequest): string | undefined {
  const hosts = countHosts(raw.rawHeaders);
  if (hosts > 1) return 'The request has more than one Host header.';
  if (hosts === 0 && raw.httpVersion === '1.1') return 'The request has no Host header.';
  if (url.startsWith('/') || /^https?:\/\//i.test(url) || raw.method === 'OPTIONS') return undefined;
  return `${raw.method} needs a path; "${url.slice(0, 100)}" is none.`;
}

/** Counts in the raw headers, since Node drops all but the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** Reads on until the body ends, or is too much to go on. */
function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', end).off('close', end).pause();
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > discardBytes) end();
    };
    const timer = setTimeout(end, discardMs);
    if (request.complete || request.destroyed) end();
    else request.on('data', count).on('end', end).on('close', end).resume();
  });
}

/**
 * Sends 100 Continue only when a body is about to be read: after authentication, and not before a 413. Returns a predicate:
 * whether the client of a request sends its body.
 */
function handleExpectations(app: FastifyInstance): (request: FastifyRequest) => boolean {
  const waiting = new WeakSet<object>();
  const server: Server = app.server;
  // Node emits it for HTTP/1.1 alone.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify({ detail: `The expectation "${request.headers.expect}" cannot be met.` });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(417, { ...headers, connection: 'close' }).end(body);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const isWithinLimit = () =>
      Number(request.headers['content-length'] ?? 0) <= (request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY);
    if (waiting.has(request.raw) && isWithinLimit()) {
      waiting.delete(request.raw);
      reply.raw.writeContinue();
    }
    done(null, payload);
  });
  return request => !waiting.has(request.raw);
}

const requestLine = /^([!#$%&'*+.^_`|~\w-]{1,32}) (\/\S{0,2000}) HTTP\/1\.[01]\r?\n/;

/**
 * Responds to a method that Node's parser does not know as to one that the route lacks: with 405 and `Allow`, or 404. Returns
 * false if the received bytes are no such request.
 */
function respondToUnknownMethod(app: FastifyInstance, received: Buffer, socket: Socket): boolean {
  // More bytes of the same request may arrive before the response is written.
  if (respondedTo.has(socket)) return true;
  const [, method, url] = requestLine.exec(received.subarray(0, 4096).toString('latin1')) ?? [];
  if (method === undefined || url === undefined || METHODS.includes(method)) return false;
  respondedTo.add(socket);
  app
    .inject({ method: 'TRACE', url })
    .then(({ statusCode, headers }) => {
      const isAllowed = statusCode === 405 && headers.allow !== undefined;
      const [status, detail] = isAllowed
        ? ['405 Method Not Allowed', 'Method Not Allowed']
        : ['404 Not Found', 'Not Found'];
      writeResponse(socket, status, detail, isAllowed ? [`Allow: ${headers.allow}`] : []);
    })
    .catch(() => socket.destroy());
  return true;
}

const respondedTo = new WeakSet<Socket>();

/** Responds on a connection whose request Node could not parse, and closes it. */
function writeResponse(socket: Socket, status: string, detail: string, headers: readonly string[] = []): void {
  // As in Node's own handler: bytes after the head of another response would be taken for its body.
  if (socket.writable && !pendingResponse(socket)?.headersSent) socket.write(lastResponse(status, detail, headers));
  socket.destroySoon();
}

/** The response that Node is about to send on a connection, or is sending. It is not documented, but Node's own handlers use it, too. */
export function pendingResponse(socket: Socket): ServerResponse | null | undefined {
  return Reflect.get(socket, '_httpMessage');
}

/** Methods that are routed as TRACE, which no route has, to the same 405: a route for each of 35 methods and each path takes 30 ms of a start. */
const otherMethods = new WeakMap<IncomingMessage, string>();
const routedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Sets the method to route by, until the hooks of the request, and returns the URL to route by. */
export function routableTarget(request: IncomingMessage): string {
  const { method = 'GET' } = request;
  if (!routedMethods.has(method)) {
    otherMethods.set(request, method);
    request.method = 'TRACE';
  }
  return routableUrl(request);
}

/**
 * The URL to route by: a path that cannot be percent-decoded gets U+FFFD where it cannot, as decoders do, so that it names no
 * resource and is otherwise handled like any path. Fastify would reject it before authentication.
 */
function routableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split('?');
  if (isDecodable(path)) return url;
  const repaired = path.replace(/(?:%[0-9a-f]{2})+|%/gi, escapes => (isDecodable(escapes) ? escapes : '%EF%BF%BD'));
  return [repaired, ...query].join('?');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
