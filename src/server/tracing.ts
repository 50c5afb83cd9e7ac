import { OperatorError } from '@carte/base/errors';
import type { SpanStatusCode } from '@opentelemetry/api';
import type { Span as SdkSpan } from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { RequestStatements } from '../scheduling/current-request.ts';
import { withoutKeys } from './log.ts';
import { graphqlOperation } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Starts spans for the statements of a request, below the request's own; undefined without tracing. */
    readonly traceStatements: ((request: FastifyRequest) => RequestStatements['trace']) | undefined;
  }
}

/** Decorates the server with the spans of statements, which are below those of requests. */
export const tracing = fp(
  async (app: FastifyInstance) => {
    app.decorate('traceStatements', app.config.tracing ? await registerTracing(app) : undefined);
  },
  { name: 'tracing' },
);

/** Exports a span for each request to the collector of the standard OTEL_* variables, which the SDK reads itself. */
async function registerTracing(app: FastifyInstance): Promise<FastifyInstance['traceStatements']> {
  const { api, core, exporter, otel, resources, sdk } = await loadPackages();
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'carte' })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [
      Object.assign(new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() }), {
        onEnding: (span: SdkSpan) => correctStatus(span, api.SpanStatusCode.UNSET),
      }),
    ],
  });
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  const instrumentation = new otel.FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook(span, { method, url, routeOptions }) {
      span.updateName(`${method} ${routeOptions.url ?? 'none'}`);
      span.setAttribute('url.path', withoutKeys(url.split('?')[0] ?? ''));
    },
  });
  instrumentation.setTracerProvider(provider);
  await app.register(instrumentation.plugin());
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.opentelemetry().span?.setAttributes({
      'carte.key.id': request.record?.keyId,
      'graphql.operation.name': request.routeOptions.url === '/graphql' ? graphqlOperation(request) : undefined,
    });
    done(null, payload);
  });
  app.addHook('onClose', () => provider.shutdown());

  return request => {
    const { tracer, context } = request.opentelemetry();
    return text => {
      // Only the verb, since a statement may contain values.
      const verb = (/^\s*(\w+)/.exec(text)?.[1] ?? 'statement').toUpperCase();
      const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': verb };
      const span = tracer.startSpan(verb, { kind: api.SpanKind.CLIENT, attributes }, context ?? api.ROOT_CONTEXT);
      return error => {
        if (error) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      };
    };
  };
}

/** Imports the OpenTelemetry packages, which are optional and only needed for tracing. */
async function loadPackages() {
  try {
    return {
      api: await import('@opentelemetry/api'),
      core: await import('@opentelemetry/core'),
      exporter: await import('@opentelemetry/exporter-trace-otlp-http'),
      otel: await import('@fastify/otel'),
      resources: await import('@opentelemetry/resources'),
      sdk: await import('@opentelemetry/sdk-trace'),
    };
  } catch (cause) {
    throw new OperatorError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the optional packages for OpenTelemetry are not installed.',
      { cause },
    );
  }
}

/** Removes error messages, which may quote data, and leaves the status of 4xx unset, as the semantic conventions have it. */
function correctStatus(span: SdkSpan, unset: SpanStatusCode): void {
  if (span.status.message === undefined) return;
  const isServerError = Number(span.attributes['http.response.status_code'] ?? 500) >= 500;
  // `setStatus` cannot unset a status.
  Object.assign(span, { status: { code: isServerError ? span.status.code : unset } });
}
