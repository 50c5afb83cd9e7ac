import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { currentRequest, type RequestStatements } from '../database/statements.ts';
import { withoutKeys } from './log.ts';
import type { Metrics } from './metrics.ts';
import { graphqlOperation, restOperation } from './operation-name.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

/** What is known of a request while it is answered. */
export interface RequestRecord extends RequestStatements {
  readonly reply: FastifyReply;
  readonly span: RequestSpan | undefined;
  keyId: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    // On the request itself: a WeakMap beside it costs each request more than all the rest here.
    record: RequestRecord | null;
  }
}

export interface Observers {
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  /** Whether each request gets a line in the log. */
  readonly logs: boolean;
}

/** Follows every request from its headers to the end of its answer. */
export function observeRequests(app: FastifyInstance, observers: Observers): void {
  app.decorateRequest('record', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const span = observers.tracing?.begin(request);
    const record = { reply, span, statements: 0, keyId: undefined, trace: span?.statement };
    request.record = record;
    observers.metrics.begun();
    currentRequest.run(record, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    report(request, reply, observers);
    done();
  });
}

/** What is known of a request by now. */
export function recordOf({ record }: FastifyRequest): RequestRecord {
  if (!record) throw new Error('A request came past its observers');
  return record;
}

/** As nginx has it, for a caller who did not wait. */
const gone = 499;

function report(request: FastifyRequest, reply: FastifyReply, observers: Observers): void {
  const record = recordOf(request);
  const { method, routeOptions } = request;
  const route = routeOptions.url ?? 'none';
  const status = reply.raw.writableFinished ? reply.statusCode : gone;
  const milliseconds = reply.elapsedTime;
  const graphql = route === '/graphql' ? graphqlOperation(request) : undefined;
  const answered = { method, route, status, graphqlOperation: graphql };
  observers.metrics.answered({ ...answered, seconds: milliseconds / 1_000 });
  record.span?.end({ ...answered, keyId: record.keyId });
  if (!observers.logs) return;
  request.log.info(
    {
      key: record.keyId,
      operation: graphql ?? restOperation(request),
      method,
      path: withoutKeys(request.url.split('?')[0] ?? ''),
      status,
      ms: Math.round(milliseconds * 10) / 10,
      statements: record.statements,
    },
    'request',
  );
}
