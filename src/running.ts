import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { databaseFault } from './database/faults.ts';
import { createDrain, type Drain } from './http/drain.ts';
import type { Gather } from './http/metrics/whole.ts';
import { createServer } from './http/server.ts';
import { startTracing } from './http/tracing.ts';

/** The server of this process and what belongs to it; it does not listen yet. */
export interface Running {
  readonly app: FastifyInstance;
  readonly drain: Drain;
  stopTracing(): Promise<void>;
}

export async function createRunning(orm: MikroORM, config: Config, gather?: Gather): Promise<Running> {
  const drain = createDrain();
  const tracing = config.tracing ? await startTracing() : undefined;
  const app = await createServer(orm, config, { drain, tracing, gather });
  outliveStrayFaults(app.log);
  return { app, drain, stopTracing: async () => tracing?.stop() };
}

/** A failure that nobody waits for is a bug, unless the database has failed: then its request was answered before. */
function outliveStrayFaults(log: FastifyBaseLogger): void {
  process.on('unhandledRejection', error => {
    if (!databaseFault(error)) throw error;
    log.warn({ err: error }, 'The database failed what nobody waited for any more');
  });
}
