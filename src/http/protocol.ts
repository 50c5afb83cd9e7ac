import { type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** How much of a body that is too large is read on and discarded, and for how long, so that its sender gets to read the 413. */
const discardBytes = 64 * 1024 * 1024;
const discardMs = 5_000;

/** Details of HTTP that Node or Fastify handle in a way that clients of the interface stumble over. */
export function completeProtocol(app: FastifyInstance): void {
  // A client may shut down its writing side and wait for the response; Node's default is to close the connection.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  // With these, a route that lacks a method answers 405 to any method that the parser knows.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false });
  }
  handleExpectations(app);
  app.addHook('onRequest', (request, reply, done) => {
    const detail = problemOf(request);
    if (detail === undefined) return done();
    reply.code(400).header('connection', 'close').send({ detail });
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode !== 413 || request.headers.expect !== undefined) return done(null, payload);
    discardBody(request.raw).then(() => done(null, payload));
  });
}

function problemOf({ raw, url }: FastifyRequest): string | undefined {
  const hosts = countHosts(raw.rawHeaders);
  if (hosts > 1) return 'The request has more than one Host header.';
  if (hosts === 0 && raw.httpVersion === '1.1') return 'The request has no Host header.';
  if (url.startsWith('/') || /^https?:\/\//i.test(url) || raw.method === 'OPTIONS') return undefined;
  return `${raw.method} needs a path; "${url.slice(0, 100)}" is none.`;
}

/** Node keeps the first of several, and says nothing of the others. */
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

/** Sends 100 Continue when a body is about to be read: after authentication, and not before a 413. */
function handleExpectations(app: FastifyInstance): void {
  const server: Server = app.server;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify({ detail: `The expectation "${request.headers.expect}" cannot be met.` });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(417, { ...headers, connection: 'close' }).end(body);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect !== undefined && isWithinLimit(request)) reply.raw.writeContinue();
    done(null, payload);
  });
}

function isWithinLimit({ headers, routeOptions }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? 0) <= (routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY);
}

const requestLine = /^([!#$%&'*+.^_`|~\w-]{1,32}) (\/\S{0,2000}) HTTP\/1\.[01]\r?\n/;

/**
 * Answers a request whose method Node's parser does not know as one whose method no route has: with 405 and `Allow`, or 404. It
 * takes what the parser has received; false for what is no such request.
 */
export function answerUnknownMethod(app: FastifyInstance, received: Buffer, socket: Socket): boolean {
  const [, method, url] = requestLine.exec(received.subarray(0, 4096).toString('latin1')) ?? [];
  if (method === undefined || url === undefined || METHODS.includes(method)) return false;
  app
    .inject({ method: 'TRACE', url })
    .then(({ statusCode, statusMessage, headers, rawPayload }) => {
      const allow = headers.allow === undefined ? [] : [`Allow: ${headers.allow}`];
      const lines = [
        `HTTP/1.1 ${statusCode} ${statusMessage}`,
        'Connection: close',
        'Content-Type: application/json',
        ...allow,
        `Content-Length: ${rawPayload.length}`,
      ];
      socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), rawPayload]));
    })
    .catch(() => socket.destroy());
  return true;
}

/**
 * The URL to route by: a path that cannot be percent-decoded gets U+FFFD where it cannot, as decoders do, so that it names no
 * resource and is otherwise handled like any path. Fastify would refuse it before authentication.
 */
export function routableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
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
