import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import { isMigrated } from '../database/migrate.ts';

/** Liveness says that the process answers; readiness that the database does too and has the current schema. */
export function mountHealth(app: FastifyInstance, orm: MikroORM): void {
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/health/ready', async (request, reply) => {
    try {
      if (await isMigrated(orm)) return { status: 'ready' };
      return reply.code(503).send({ status: 'not ready', reason: 'the database is not migrated' });
    } catch (error) {
      request.log.warn(error);
      return reply.code(503).send({ status: 'not ready', reason: 'the database does not answer' });
    }
  });
}
