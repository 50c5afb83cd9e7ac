import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { SetFiles } from '../rest/contract/folders.ts';
import { addressLimit } from './address-limit.ts';
import { authentication } from './authentication.ts';
import { cors } from './cors.ts';
import { database, databaseErrors } from './database.ts';
import { drain } from './drain.ts';
import { errorHandler } from './error-handler.ts';
import { dueTimes, events } from './events.ts';
import { fairShares, loadShedding } from './fair-shares.ts';
import { createFastify } from './fastify.ts';
import { graph } from './graph.ts';
import { graphql } from './graphql.ts';
import { health } from './health.ts';
import { jsonBodies } from './json-bodies.ts';
import { mcp } from './mcp.ts';
import { type CollectMetrics, metrics } from './metrics.ts';
import { pages } from './pages.ts';
import { preview } from './preview.ts';
import { protocol } from './protocol.ts';
import { rateLimit } from './rate-limit.ts';
import { requests } from './requests.ts';
import { responseCache } from './response-cache.ts';
import { rest } from './rest.ts';
import { streams } from './streams.ts';
import { tracing } from './tracing.ts';

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
  app.register(responseCache);
  app.register(events);
  app.register(dueTimes);
  app.register(metrics, { collectMetrics });
  app.register(databaseErrors);
  app.register(tracing);
  app.register(requests);
  app.register(protocol);
  app.register(cors);
  app.register(loadShedding);
  app.register(rateLimit);
  app.register(addressLimit);
  app.register(authentication);
  app.register(jsonBodies);
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
