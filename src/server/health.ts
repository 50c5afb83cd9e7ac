import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { withTimeout } from '../database/errors.ts';
import { isMigrated } from '../database/migrate.ts';
import { shareRun } from '../scheduling/batch-schedule.ts';

/** About as long as the probes of orchestrators wait. */
const timeoutMs = 2_000;

/** Liveness: the process responds. Readiness: the database responds too, has the current schema, and no shutdown has begun. */
export const health = fp(
  async (app: FastifyInstance) => {
    // A probe needs no key, and must not multiply statements.
    const readSchema = shareRun(() => isMigrated(app.database.orm));
    app.get('/health/live', () => ({ status: 'live' }));
    app.get('/health/ready', async (request, reply) => {
      const notReady = (reason: string) => reply.code(503).send({ status: 'not ready', reason });
      if (app.drain.isShuttingDown) return notReady('the service is shutting down');
      try {
        return (await withTimeout(timeoutMs, readSchema()))
          ? { status: 'ready' }
          : notReady('the database is not migrated');
      } catch (error) {
        request.log.warn(error);
        return notReady('the database does not answer');
      }
    });
  },
  { name: 'health', dependencies: ['database', 'drain'] },
);
