import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isObject } from '@carte/base/json';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { currentRequest, type RequestStatements } from '../scheduling/current-request.ts';
import { withoutKeys } from './log.ts';

/** State of a request for its log line and metrics. */
export interface RequestRecord extends RequestStatements {
  /** Until the response is sent: the timer of an idle connection refers to the context of its last request, and so to this record. */
  reply: FastifyReply | undefined;
  keyId: string | undefined;
  isReported: boolean;
  /** For how long it has waited for events, which says nothing about the service; undefined if it has not. */
  heldMs?: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    // On the request itself: a WeakMap beside it costs each request more than all the rest here.
    record: RequestRecord | null;
  }
  interface FastifyInstance {
    /** For a request whose response goes on as a stream: how long that lasts says nothing about the service. */
    reportRequest(request: FastifyRequest): void;
  }
}

/** Measures and logs every request, from its headers to the end of its response. */
export const requests = fp(
  async (app: FastifyInstance) => {
    const { config, metrics, traceStatements } = app;
    const logsRequests = config.logLevel === 'info' || config.logLevel === 'debug';
    const report = (request: FastifyRequest, reply: FastifyReply, status: number) => {
      const { method } = request;
      const { heldMs = 0, isForGuests = false, keyId, statements } = recordOf(request);
      const milliseconds = reply.elapsedTime - heldMs;
      // Fastify creates these options anew for each use.
      const { url: route, config } = request.routeOptions;
      const operation = route === '/graphql' ? operationOf(request) : undefined;
      metrics.requestFinished(method, { route, status, milliseconds, operation, isOfGuest: isForGuests });
      if (!logsRequests) return;
      const entry = {
        key: keyId,
        ...(isForGuests && { publishable: true }),
        operation: operation ?? restOperation(config) ?? (route === '/mcp' ? toolOf(request) : undefined),
        method,
        path: withoutKeys(request.url.split('?')[0] ?? ''),
        status,
        ms: Math.round(milliseconds * 10) / 10,
        statements,
      };
      request.log.info(entry, 'request');
    };
    app.decorateRequest('record', null);
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id);
      const trace = traceStatements?.(request);
      const record: RequestRecord = {
        reply,
        statements: 0,
        keyId: undefined,
        share: undefined,
        isForGuests: false,
        isReported: false,
        trace,
      };
      request.record = record;
      metrics.requestStarted();
      currentRequest.run(record, done);
    });
    app.addHook('onResponse', (request, reply, done) => {
      const record = recordOf(request);
      if (!record.isReported)
        report(request, reply, reply.raw.writableFinished ? reply.statusCode : clientClosedRequest);
      record.reply = undefined;
      record.leaveShare = undefined;
      record.trace = undefined;
      done();
    });
    app.decorate('reportRequest', request => {
      const reply = replyOf(request);
      report(request, reply, reply.statusCode);
      recordOf(request).isReported = true;
    });
  },
  { name: 'requests', dependencies: ['metrics', 'tracing'] },
);

const token = /^[\w.:@=+/-]{1,128}$/;

/** Takes the client's `x-request-id` where it is safe in a log line and a header. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && token.test(given) && withoutKeys(given) === given ? given : randomUUID();
}

/** The request over HTTP that the running code belongs to; undefined, e.g., in the delivery of an event. */
export function currentRecord(): RequestRecord | undefined {
  const request = currentRequest.getStore();
  return request && isRecord(request) ? request : undefined;
}

const isRecord = (request: RequestStatements): request is RequestRecord => 'reply' in request;

/** Log lines of a request have its id. */
export function logFields(): { readonly reqId?: string } {
  const reply = currentRecord()?.reply;
  return reply ? { reqId: reply.request.id } : {};
}

/** Fastify would create a child for each request, with its id: some 3 % of a small request, which `logFields` saves. */
export const requestLogger = (logger: FastifyBaseLogger): FastifyBaseLogger => logger;

export function recordOf({ record }: FastifyRequest): RequestRecord {
  if (!record) throw new Error('A request has no record');
  return record;
}

/** The reply that is under way. */
export function replyOf(request: FastifyRequest): FastifyReply {
  const { reply } = recordOf(request);
  if (!reply) throw new Error('The response was sent already');
  return reply;
}

/** nginx's status for a connection that the client closed before the response was sent. */
const clientClosedRequest = 499;

const name = /^[_A-Za-z]\w{0,63}$/;
const firstOperation = /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w{0,63})\b/;
const anonymous = 'anonymous';

/** Only callers with a key choose names that appear in metrics and the log. */
function operationOf(request: FastifyRequest): string {
  return recordOf(request).keyId === undefined ? anonymous : graphqlOperation(request);
}

/** Name of the tool that a request to /mcp calls. */
function toolOf({ body }: FastifyRequest): string | undefined {
  const params: unknown = isObject(body) ? body.params : undefined;
  return isObject(params) && typeof params.name === 'string' && name.test(params.name) ? params.name : undefined;
}

/** Name of the operation of a route. */
function restOperation(config: object): string | undefined {
  return 'operation' in config && typeof config.operation === 'string' ? config.operation : undefined;
}

/** Name of the operation of a request to /graphql: `operationName`, or else the first name in the document. */
export function graphqlOperation({ method, body, query }: FastifyRequest): string {
  const parameters = method === 'GET' ? query : body;
  if (!isObject(parameters)) return anonymous;
  const { operationName, query: document } = parameters;
  if (typeof operationName === 'string' && name.test(operationName)) return withoutKeys(operationName);
  const [, first = anonymous] = (typeof document === 'string' && firstOperation.exec(document.slice(0, 2_000))) || [];
  return withoutKeys(first);
}
