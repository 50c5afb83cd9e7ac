import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { loggerOptions } from './log.ts';
import { httpOptions, routableUrl } from './protocol.ts';
import { requestId } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly config: Config;
  }
}

/** Creates an instance without plugins, decorated with the configuration. */
export function createFastify(config: Config): FastifyInstance {
  const app = Fastify({
    logger: loggerOptions(config.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: config.bodyLimit,
    // Requests are waited for by `drain`; a connection that has sent none would hold up `close` for a minute.
    forceCloseConnections: true,
    ...httpOptions(config.http),
    rewriteUrl: routableUrl,
    routerOptions: { maxParamLength: 1000 },
    // The database has time-outs of its own; a process on a busy machine starts late rather than not at all.
    pluginTimeout: 0,
    // Routes have no JSON schemas; with these, Fastify does not load Ajv, some 80 ms of each start.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      reply.code(error.statusCode ?? 400).send({ detail: error.message }),
  });
  app.server.maxConnections = config.http.maxConnections;
  return app.decorate('config', config);
}

function withoutSchemas(): never {
  throw new Error('A route has a JSON schema, but Carte validates requests by the types of the graph');
}
