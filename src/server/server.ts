import type { MikroORM } from '@mikro-orm/postgresql';
import Fastify, { errorCodes, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { createAuthenticator } from '../auth/authenticate.ts';
import { requireKey, requireWrite } from '../auth/scope.ts';
import { ResponseCache } from '../cache/response-cache.ts';
import type { Config } from '../config.ts';
import { createReadAccess } from '../database/access.ts';
import type { Query } from '../database/query.ts';
import { openReplicas, type Replicas } from '../database/replicas.ts';
import { createContext, createRepositories, readRevisions } from '../graphql/context.ts';
import { mountGraphql } from '../graphql/endpoint.ts';
import { loadTrustedDocuments } from '../graphql/persisted-documents.ts';
import { createSchema } from '../graphql/schema.ts';
import { parseJson } from '../input/json.ts';
import { mountRest } from '../rest/mount.ts';
import { openapiDocument } from '../rest/openapi/document.ts';
import { createCallerLookup } from './authentication.ts';
import { allowOrigins } from './cors.ts';
import { createTranslate } from './database-errors.ts';
import { mountDocs } from './docs.ts';
import { createDrain, type Drain } from './drain.ts';
import { mountHealth } from './health.ts';
import { httpLimits } from './http-limits.ts';
import { watchLoad } from './load-shedding.ts';
import { loggerOptions, requestId } from './log.ts';
import type { CollectMetrics } from './metrics/aggregate.ts';
import { createMetrics, mountMetrics } from './metrics.ts';
import { handleNotFound } from './not-found.ts';
import { mountPages } from './pages.ts';
import { checkTargets, completeProtocol, routableUrl } from './protocol.ts';
import { createRateLimit } from './rate-limit.ts';
import { observeRequests } from './requests.ts';
import type { Tracing } from './tracing.ts';

export type ServerConfig = Config;

/** What the program shares with its server. */
export interface ServerDependencies {
  readonly drain?: Drain;
  readonly tracing?: Tracing | undefined;
  /** Absent: no other process belongs to the service. */
  readonly gather?: CollectMetrics | undefined;
}

/** The whole service on one Fastify instance, not yet listening. */
export async function createServer(
  orm: MikroORM,
  config: ServerConfig,
  { drain = createDrain(), tracing, gather }: ServerDependencies = {},
): Promise<FastifyInstance> {
  const schema = createSchema();
  const trusted = config.trustedDocuments === undefined ? undefined : loadTrustedDocuments(config.trustedDocuments);
  const access = await createReadAccess(orm);
  const responseCache = new ResponseCache(config.cacheBytes);
  const app = createFastify(config);
  drain.watch(app.server);
  const pool = await orm.em.getConnection().getNativeClient();
  const overload = watchLoad(pool, config.overload);
  app.addHook('onClose', async () => overload.stop());
  const metrics = createMetrics();
  metrics.watchPool(pool);
  metrics.watchCache(responseCache);
  const replicas = config.replicaUrls.length > 0 ? useReplicas(app, access.primary, config) : undefined;
  if (replicas) metrics.watchReplicas(replicas);
  const source = {
    orm,
    repositories: createRepositories({ ...access, ...(replicas && { query: replicas.query }) }),
    menuLimits: config.menuLimits,
    onReplaced: metrics.replaced,
  };
  const translate = createTranslate(app.log, metrics);
  observeRequests(app, { metrics, tracing, logs: logsRequests(config) });
  checkTargets(app);
  const callerOf = createCallerLookup({
    authenticate: createAuthenticator(access.primary, { seconds: config.keySeconds }),
    overload,
    rateLimit: config.rateLimit > 0 ? createRateLimit(config.rateLimit) : undefined,
  });
  allowOrigins(app, config.http.corsOrigins);
  handleNotFound(app);
  mountHealth(app, orm, drain);
  if (config.metrics) mountMetrics(app, metrics, gather);
  await app.register(graphql =>
    mountGraphql(graphql, {
      schema,
      introspection: config.introspection,
      limits: config.graphqlLimits,
      trusted,
      responseCache,
      dependencies: source,
      authenticate: callerOf,
      translateError: translate,
    }),
  );
  const rest = mountRest(app, {
    schema,
    responseCache,
    bodyLimit: config.bodyLimit,
    authenticate: async (request, { writes }) => {
      const caller = await callerOf(request);
      return writes ? requireWrite(caller?.scope) : requireKey(caller?.scope);
    },
    createContext: scope => createContext(source, scope),
    readRevisions: (scope, store) => readRevisions(source, scope, store),
    translate,
  });
  mountDocs(app, openapiDocument(rest.contract, rest.routes));
  mountPages(app);
  return app;
}

function createFastify(config: ServerConfig): FastifyInstance {
  const app = Fastify({
    logger: loggerOptions(config.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: config.bodyLimit,
    ...httpLimits(config.http),
    rewriteUrl: routableUrl,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      reply.code(error.statusCode ?? 400).send({ detail: error.message }),
  });
  app.server.maxConnections = config.http.maxConnections;
  completeProtocol(app);
  // Not Fastify's own parser, which is `JSON.parse` (src/input/json.ts). Keys such as `__proto__` are data like any other.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text.length === 0) return done(new errorCodes.FST_ERR_CTP_EMPTY_JSON_BODY());
    try {
      done(null, parseJson(String(text).replace(/^\uFEFF/, '')));
    } catch {
      done(new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY());
    }
  });
  return app;
}

function useReplicas(app: FastifyInstance, primary: Query, config: ServerConfig): Replicas {
  const replicas = openReplicas(primary, config, ({ replica, isUsable, reason }) => {
    if (isUsable) app.log.info({ replica }, 'A read replica is in use');
    else app.log.warn({ replica, err: reason }, 'A read replica is left out');
  });
  // Not while the process is busy with starting, or their responses would seem late.
  app.addHook('onReady', async () => replicas.start());
  app.addHook('onClose', async () => replicas.close());
  return replicas;
}

function logsRequests({ logLevel }: ServerConfig): boolean {
  return logLevel === 'info' || logLevel === 'debug';
}
