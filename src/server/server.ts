import type { MikroORM } from '@mikro-orm/postgresql';
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { type Authenticate, createAuthenticator } from '../auth/authenticate.ts';
import { KeyUsage } from '../auth/key-usage.ts';
import { ResponseCache } from '../cache/response-cache.ts';
import type { Config } from '../config.ts';
import { createReadAccess } from '../database/access.ts';
import { shareConnections } from '../database/connection-shares.ts';
import type { Query } from '../database/query.ts';
import { openReplicas, type Replicas } from '../database/replicas.ts';
import { authorize } from '../graphql/authorization.ts';
import { type ContextDependencies, createContext, createRepositories, readRevisions } from '../graphql/context.ts';
import { mountGraphql } from '../graphql/endpoint.ts';
import { createCostOf } from '../graphql/limits.ts';
import { loadTrustedDocuments } from '../graphql/persisted-documents.ts';
import { loadSchema } from '../graphql/schema.ts';
import { mountRest } from '../rest/mount.ts';
import { openapiDocument } from '../rest/openapi/document.ts';
import { createAddressLimit } from './address-limit.ts';
import { registerAuthentication } from './authentication.ts';
import { createAddressOf } from './client-address.ts';
import { isAllowedOrigin, registerCors } from './cors.ts';
import { registerDrain } from './drain.ts';
import { createTranslate, handleErrors } from './error-handler.ts';
import { createFeed, deleteOldEvents, observeStreams } from './events.ts';
import { createFairShares, runExpensive } from './fair-shares.ts';
import { mountHealth } from './health.ts';
import { parseJsonBodies } from './json-bodies.ts';
import { registerLoadShedding } from './load-shedding.ts';
import { loggerOptions, requestId } from './log.ts';
import { type CollectMetrics, createMetrics, mountMetrics } from './metrics.ts';
import { mountDocs } from './pages/docs.ts';
import { mountGuides } from './pages/guides.ts';
import { mountPages } from './pages/mount.ts';
import { mountPlayground } from './pages/playground.ts';
import { mountSdl } from './pages/sdl.ts';
import { checkTargets, completeProtocol, httpOptions, routableUrl } from './protocol.ts';
import { createMessageLimit, registerRateLimit } from './rate-limit.ts';
import { observeRequests } from './requests.ts';
import { registerTracing } from './tracing.ts';
import { compileOrderRenderer, registerWebhooks } from './webhooks.ts';

/** Creates the Fastify server with all routes; it does not listen yet. `collectMetrics` adds the metrics of other processes. */
export async function createServer(
  orm: MikroORM,
  config: Config,
  collectMetrics?: CollectMetrics,
): Promise<FastifyInstance> {
  const app = createFastify(config);
  const pool = await orm.em.getConnection().getNativeClient();
  const connections = shareConnections(pool, { timeoutMs: config.connectionSeconds * 1_000 });
  const shares = createFairShares(config.shares);
  const access = await createReadAccess(orm);
  const replicas = config.replicaUrls.length > 0 ? useReplicas(app, access.primary, config) : undefined;
  const responseCache = new ResponseCache(config.cacheBytes);
  const feed = createFeed(app, pool, config);
  deleteOldEvents(app, access.primary, config);
  const metrics = createMetrics({ pool, shares: { ...shares, ...connections }, cache: responseCache, replicas, feed });

  registerDrain(app);
  completeProtocol(app);
  const reportRequest = observeRequests(app, {
    metrics,
    traceStatements: config.tracing ? await registerTracing(app) : undefined,
    logsRequests: config.logLevel === 'info' || config.logLevel === 'debug',
  });
  checkTargets(app);
  if (config.http.corsOrigins.length > 0) await registerCors(app, config.http.corsOrigins);
  await registerLoadShedding(app, { pool, ...connections, requests: shares.requests }, config.loadLimits);
  if (config.rateLimit > 0) await registerRateLimit(app, config.rateLimit);
  const authenticate = authenticator(app, access.primary, config);
  const addressOf = createAddressOf(config.trustedProxies);
  const addressLimit = createAddressLimit(config, addressOf, app.log);
  registerAuthentication(app, { authenticate, addressLimit, uploads: shares.uploads });
  parseJsonBodies(app, shares);
  handleErrors(app);
  mountHealth(app, orm);
  if (config.metrics) mountMetrics(app, metrics, collectMetrics);

  const schema = loadSchema();
  const translateError = createTranslate(app, metrics.databaseError);
  const dependencies: ContextDependencies = {
    orm,
    repositories: createRepositories({ ...access, ...(replicas && { query: replicas.query }) }, config.historyLimits),
    menuLimits: config.menuLimits,
    historyLimits: config.historyLimits,
    onReplaced: metrics.menuReplaced,
    webhooks: registerWebhooks(app, {
      orm,
      query: access.primary,
      feed,
      config,
      metrics,
      renderOrder: (orderId, scope) => renderOrder(orderId, scope),
    }),
  };
  await app.register(graphql =>
    mountGraphql(graphql, {
      schema,
      introspection: config.introspection,
      limits: config.graphqlLimits,
      trusted: config.trustedDocuments === undefined ? undefined : loadTrustedDocuments(config.trustedDocuments),
      responseCache,
      dependencies,
      authenticate: request => app.authenticate(request),
      translateError,
      run: (keyId, task) => shares.requests.run(keyId, task),
      runExpensive: (keyId, task) => runExpensive(shares, keyId, task),
      mountPlayground,
      subscriptions: {
        limits: config.streams,
        events: {
          feed,
          query: access.primary,
          maxBuffered: config.streams.buffer,
          maxStallMs: config.streams.stallSeconds * 1_000,
        },
        authenticateKey: (key, connection, request) => app.authenticateKey(key, connection, request),
        countRequest: config.rateLimit > 0 ? createMessageLimit(app) : undefined,
        addressOf,
        runReplay: (keyId, task) => shares.replay.run(keyId, task),
        runExpensive: (keyId, task) => shares.expensiveEvents.run(keyId, task),
        renewKey: key => authenticate.renew(key),
        isAllowedOrigin: request => isAllowedOrigin(request, config.http.corsOrigins),
        observer: observeStreams(app, metrics, reportRequest),
        onShutdown: endStreams => app.drain.onDrain(endStreams),
      },
    }),
  );
  const rest = mountRest(app, {
    schema,
    responseCache,
    bodyLimit: config.bodyLimit,
    authenticate: async (request, rootField) => authorize(rootField, (await app.authenticate(request))?.scope),
    run: ({ keyId = '' }, task) => shares.requests.run(keyId, task),
    runExpensive: ({ keyId = '' }, task) => runExpensive(shares, keyId, task),
    costOf: createCostOf(schema),
    createContext: scope => createContext(dependencies, scope, { transport: 'REST' }),
    readRevisions: (scope, store) => readRevisions(dependencies, scope, store),
    translateError,
  });
  const renderOrder = compileOrderRenderer(schema, rest.contract, scope => createContext(dependencies, scope));
  mountDocs(app, openapiDocument(rest.contract, rest.routes));
  if (config.introspection) mountSdl(app, schema);
  mountGuides(app);
  mountPages(app, config);
  return app;
}

function createFastify(config: Config): FastifyInstance {
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
    // Routes have no JSON schemas; with these, Fastify does not load Ajv, some 80 ms of each start.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      reply.code(error.statusCode ?? 400).send({ detail: error.message }),
  });
  app.server.maxConnections = config.http.maxConnections;
  return app;
}

function withoutSchemas(): never {
  throw new Error('A route has a JSON schema, but Carte validates requests by the types of the graph');
}

function authenticator(app: FastifyInstance, primary: Query, { keyCacheTtlSeconds }: Config): Authenticate {
  const usage = new KeyUsage(primary, error =>
    app.log.warn({ err: error }, 'The last use of API keys could not be recorded'),
  );
  app.addHook('onClose', () => usage.close());
  return createAuthenticator(primary, {
    seconds: keyCacheTtlSeconds,
    onUse: (keyId, usedAt) => usage.record(keyId, usedAt),
  });
}

function useReplicas(app: FastifyInstance, primary: Query, config: Config): Replicas {
  const replicas = openReplicas(primary, config, ({ replica, isUsable, reason }) => {
    if (isUsable) app.log.info({ replica }, 'A read replica is in use');
    else app.log.warn({ replica, err: reason }, 'A read replica is left out');
  });
  // Not before: while the process is busy starting, replicas would seem slow.
  app.addHook('onReady', async () => replicas.start());
  app.addHook('onClose', async () => replicas.close());
  return replicas;
}
