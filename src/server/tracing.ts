import type { Span, Tracer } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import { OperatorError } from '../errors.ts';

export interface EndedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly keyId: string | undefined;
  readonly graphqlOperation: string | undefined;
}

export interface RequestSpan {
  readonly statement: (text: string) => (error: unknown) => void;
  end(request: EndedRequest): void;
}

export interface Tracing {
  begin(request: FastifyRequest): RequestSpan;
  /** Sends what has not been sent yet. */
  stop(): Promise<void>;
}

/** Traces to the collector of the standard OTEL_* variables, which the SDK reads by itself. */
export async function startTracing(): Promise<Tracing> {
  const { api, sdk, exporter, resources } = await loadSdk();
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'carte' })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('carte');
  return {
    begin: request => beginRequest(api, tracer, request),
    stop: () => provider.shutdown(),
  };
}

type Api = typeof import('@opentelemetry/api');

/** Only what traces needs it, and an installation without optional packages lacks it. */
async function loadSdk() {
  try {
    const [api, sdk, exporter, resources] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    return { api, sdk, exporter, resources };
  } catch (cause) {
    throw new OperatorError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the optional @opentelemetry packages are not installed.',
      { cause },
    );
  }
}

function beginRequest(api: Api, tracer: Tracer, request: FastifyRequest): RequestSpan {
  const parent = parentOf(api, request.headers.traceparent);
  const span = tracer.startSpan(request.method, { kind: api.SpanKind.SERVER }, parent);
  const within = api.trace.setSpan(api.ROOT_CONTEXT, span);
  return {
    statement(text) {
      // The verb alone: a statement may hold the values it was asked with.
      const verb = (/^\s*(\w+)/.exec(text)?.[1] ?? 'statement').toUpperCase();
      const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': verb };
      const child = tracer.startSpan(verb, { kind: api.SpanKind.CLIENT, attributes }, within);
      return error => {
        if (error) child.setStatus({ code: api.SpanStatusCode.ERROR });
        child.end();
      };
    },
    end(ended) {
      describe(span, ended);
      if (ended.status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function describe(span: Span, { method, route, status, keyId, graphqlOperation }: EndedRequest): void {
  span.updateName(`${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(keyId !== undefined && { 'carte.key.id': keyId }),
    ...(graphqlOperation !== undefined && { 'graphql.operation.name': graphqlOperation }),
  });
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** The caller's own trace, by the header of the W3C. */
function parentOf({ ROOT_CONTEXT, trace }: Api, header: string | string[] | undefined) {
  const [, traceId, spanId, flags] = traceparent.exec(String(header)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
