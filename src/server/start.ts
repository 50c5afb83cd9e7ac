import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { toUnavailable } from '../database/errors.ts';
import { createDrain, type Drain } from './drain.ts';
import type { CollectMetrics } from './metrics/aggregate.ts';
import { createServer } from './server.ts';
import { startTracing } from './tracing.ts';

/** The server of this process and what belongs to it; it does not listen yet. */
export interface RunningServer {
  readonly app: FastifyInstance;
  readonly drain: Drain;
  stopTracing(): Promise<void>;
}

export async function createRunningServer(
  orm: MikroORM,
  config: Config,
  gather?: CollectMetrics,
): Promise<RunningServer> {
  const drain = createDrain();
  const tracing = config.tracing ? await startTracing() : undefined;
  const app = await createServer(orm, config, { drain, tracing, gather });
  outliveStrayErrors(app.log);
  return { app, drain, stopTracing: async () => tracing?.stop() };
}

/** A failure that nobody waits for is a bug, unless the database has failed: then its request was answered before. */
function outliveStrayErrors(log: FastifyBaseLogger): void {
  process.on('unhandledRejection', error => {
    if (!toUnavailable(error)) throw error;
    log.warn({ err: error }, 'The database failed what nobody waited for any more');
  });
}
