import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import { isMigrated } from '../database/migrate.ts';
import { Unavailable } from '../errors.ts';
import type { Drain } from './drain.ts';

/** Who probes gives up soon too; a database that answers later than that is no use. */
const patience = 2_000;

/** Liveness says that the process answers; readiness that the database does too and has the current schema. */
export function mountHealth(app: FastifyInstance, orm: MikroORM, drain: Drain): void {
  const check = shared(() => isMigrated(orm));
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/health/ready', async (request, reply) => {
    const notReady = (reason: string) => reply.code(503).send({ status: 'not ready', reason });
    if (drain.hasBegun) return notReady('the service is shutting down');
    try {
      return (await withinPatience(check())) ? { status: 'ready' } : notReady('the database is not migrated');
    } catch (error) {
      request.log.warn(error);
      return notReady('the database does not answer');
    }
  });
}

/** Anyone may ask, so however many ask, the database is asked once at a time. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

async function withinPatience<T>(answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Unavailable('The database is slow')), patience);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
