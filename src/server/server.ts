import type { SetFiles } from '@carte/operations/contract/folders';
import type { MikroORM } from '@mikro-orm/postgresql';
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { ResponseCache } from '../cache/response-cache.ts';
import type { Config } from '../config.ts';
import { addressLimit } from './address-limit.ts';
import { authentication } from './authentication.ts';
import { bodies } from './bodies.ts';
import { caching } from './caching.ts';
import { cors } from './cors.ts';
import { database, databaseErrors } from './database.ts';
import { drain } from './drain.ts';
import { errorHandler, sendDetail } from './error-handler.ts';
import { events } from './events.ts';
import { fairShares, loadShedding } from './fair-shares.ts';
import { graph } from './graph.ts';
import { graphql } from './graphql.ts';
import { health } from './health.ts';
import { loggerOptions } from './log.ts';
import { mcp } from './mcp.ts';
import { type CollectMetrics, metrics } from './metrics.ts';
import { pages } from './pages/mount.ts';
import { preview } from './preview.ts';
import { httpOptions, protocol, routableTarget } from './protocol.ts';
import { rateLimit } from './rate-limit.ts';
import { logFields, requestId, requestLogger, requests } from './requests.ts';
import { rest } from './rest.ts';
import { streams } from './streams.ts';
import { tracing } from './tracing.ts';
import { schemaController } from './without-schemas.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly config: Config;
    /** `/v1` and `/graphql` share it. */
    readonly responseCache: ResponseCache;
  }
}

/** What a worker gets from the primary. */
export interface WorkerOptions {
  /** Adds the metrics of other processes. */
  readonly collectMetrics?: CollectMetrics;
  /** The operator's operations; absent: those that are in the folders now. */
  readonly operatorSets?: readonly SetFiles[];
}

/**
 * Creates the Fastify server with all routes; it does not listen yet. Each plugin names those that it needs before it, and does not load
 * without them.
 */
export async function createServer(
  orm: MikroORM,
  config: Config,
  { collectMetrics, operatorSets }: WorkerOptions = {},
): Promise<FastifyInstance> {
  const app = createFastify(config);
  app.register(drain);
  app.register(database, { orm });
  app.register(fairShares);
  app.register(events);
  app.register(metrics, { collectMetrics });
  app.register(databaseErrors);
  app.register(tracing);
  app.register(requests);
  app.register(caching);
  app.register(protocol);
  app.register(cors);
  app.register(loadShedding);
  app.register(rateLimit);
  app.register(addressLimit);
  app.register(authentication);
  app.register(bodies);
  app.register(errorHandler);
  app.register(health);
  app.register(streams);
  app.register(graph, { operatorSets });
  app.register(graphql);
  app.register(rest);
  app.register(mcp);
  app.register(preview);
  app.register(pages);
  await app.after();
  return app;
}

/** Creates an instance without plugins. */
function createFastify(config: Config): FastifyInstance {
  const app = Fastify({
    logger: loggerOptions(config.logLevel, logFields),
    childLoggerFactory: requestLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: config.bodyLimit,
    // Requests are waited for by `drain`; a connection that has sent none would hold up `close` for a minute.
    forceCloseConnections: true,
    ...httpOptions(config.http),
    rewriteUrl: routableTarget,
    routerOptions: { maxParamLength: 1000 },
    // The database has time-outs of its own; a process on a busy machine starts late rather than not at all.
    pluginTimeout: 0,
    schemaController,
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      sendDetail(reply.code(error.statusCode ?? 400), error.message),
  });
  app.server.maxConnections = config.http.maxConnections;
  return app.decorate('config', config).decorate('responseCache', new ResponseCache(config.cacheBytes));
}
