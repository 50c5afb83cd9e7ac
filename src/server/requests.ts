import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { currentRequest, type RequestStatements } from '../database/statements.ts';
import { withoutKeys } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Starts spans for the statements of a request, below the request's own. */
export type TraceStatements = (request: FastifyRequest) => RequestStatements['trace'];

/** State of a request for its log line and metrics. */
export interface RequestRecord extends RequestStatements {
  readonly reply: FastifyReply;
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
    const record = {
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
    if (!recordOf(request).isReported) report(request, status, observers);
    done();
  });
  return request => {
    const record = recordOf(request);
    report(request, record.reply.statusCode, observers);
    record.isReported = true;
  };
}

export function recordOf({ record }: FastifyRequest): RequestRecord {
  if (!record) throw new Error('A request has no record');
  return record;
}

/** nginx's status for a connection that the client closed before the response was sent. */
const clientClosedRequest = 499;

function report(request: FastifyRequest, status: number, { metrics, logsRequests }: Observers): void {
  const { keyId, statements, reply } = recordOf(request);
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  const milliseconds = reply.elapsedTime;
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
