import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { currentRequest, type RequestStatements } from '../database/statements.ts';
import { withoutKeys } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Starts spans for the statements of a request, below the request's own. */
export type TraceStatements = (request: FastifyRequest) => RequestStatements['trace'];

/** State of a request for its log line and metrics. */
export interface RequestRecord extends RequestStatements {
  /** Until the response is sent: the timer of an idle connection refers to the context of its last request, and so to this record. */
  reply: FastifyReply | undefined;
  keyId: string | undefined;
  isReported: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    // On the request itself: a WeakMap beside it costs each request more than all the rest here.
    record: RequestRecord | null;
  }
}

export interface Observers {
  readonly metrics: Metrics;
  readonly traceStatements: TraceStatements | undefined;
  /** Whether each request gets a line in the log. */
  readonly logsRequests: boolean;
}

/**
 * Adds hooks that measure and log every request, from its headers to the end of its response. Returns the function to call for a request whose
 * response goes on as a stream: how long that lasts says nothing about the service.
 */
export function observeRequests(app: FastifyInstance, observers: Observers): (request: FastifyRequest) => void {
  app.decorateRequest('record', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const record: RequestRecord = {
      reply,
      statements: 0,
      keyId: undefined,
      isReported: false,
      trace: observers.traceStatements?.(request),
    };
    request.record = record;
    observers.metrics.requestStarted();
    currentRequest.run(record, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.raw.writableFinished ? reply.statusCode : clientClosedRequest;
    const record = recordOf(request);
    if (!record.isReported) report(request, { status, milliseconds: reply.elapsedTime }, observers);
    record.reply = undefined;
    record.trace = undefined;
    done();
  });
  return request => {
    const { statusCode, elapsedTime } = replyOf(request);
    report(request, { status: statusCode, milliseconds: elapsedTime }, observers);
    recordOf(request).isReported = true;
  };
}

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

/** Whether it is a request over HTTP, rather than, e.g., the delivery of an event. */
export const isRecord = (request: RequestStatements): request is RequestRecord => 'reply' in request;

/** nginx's status for a connection that the client closed before the response was sent. */
const clientClosedRequest = 499;

interface Outcome {
  readonly status: number;
  readonly milliseconds: number;
}

function report(
  request: FastifyRequest,
  { status, milliseconds }: Outcome,
  { metrics, logsRequests }: Observers,
): void {
  const { keyId, statements } = recordOf(request);
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  // Only callers with a key choose names that appear in metrics and the log.
  const operation = route !== '/graphql' ? undefined : keyId === undefined ? anonymous : graphqlOperation(request);
  metrics.requestFinished({ method, route, status, seconds: milliseconds / 1_000, graphqlOperation: operation });
  if (!logsRequests) return;
  request.log.info(
    {
      key: keyId,
      operation: operation ?? restOperation(request),
      method,
      path: withoutKeys(request.url.split('?')[0] ?? ''),
      status,
      ms: Math.round(milliseconds * 10) / 10,
      statements,
    },
    'request',
  );
}

const name = /^[_A-Za-z]\w{0,63}$/;
const firstOperation = /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w{0,63})\b/;
const anonymous = 'anonymous';

/** Name of the schema/rest operation of a route. */
function restOperation({ routeOptions: { config } }: FastifyRequest): string | undefined {
  return 'operation' in config && typeof config.operation === 'string' ? config.operation : undefined;
}

/** Name of the operation of a request to /graphql: `operationName`, or else the first name in the document. */
export function graphqlOperation({ method, body, query }: FastifyRequest): string {
  const parameters = method === 'GET' ? query : body;
  if (typeof parameters !== 'object' || parameters === null) return anonymous;
  const operationName: unknown = Reflect.get(parameters, 'operationName');
  if (typeof operationName === 'string' && name.test(operationName)) return operationName;
  const document: unknown = Reflect.get(parameters, 'query');
  return (typeof document === 'string' && firstOperation.exec(document.slice(0, 2_000))?.[1]) || anonymous;
}
