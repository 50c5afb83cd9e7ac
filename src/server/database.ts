import type { Unavailable } from '@carte/base/errors';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Pool } from 'pg';
import { toUnavailable } from '../database/errors.ts';
import { type ConnectionShares, createReadAccess, type ReadAccess, shareConnections } from '../database/pool.ts';
import type { Query } from '../database/query.ts';
import { openReplicas, type Replicas } from '../database/replicas.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly database: ReadAccess &
      ConnectionShares & { readonly orm: MikroORM; readonly pool: Pool; readonly replicas: Replicas | undefined };
    /** Translates a database error to `Unavailable`; undefined for any other error. */
    translateError(error: unknown): Unavailable | undefined;
  }
}

/** Decorates the server with its database, whose connections the keys share. The ORM is closed by who opened it. */
export const database = fp(
  async (app: FastifyInstance, { orm }: { readonly orm: MikroORM }) => {
    const pool: Pool = await orm.em.getConnection().getNativeClient();
    const connections = shareConnections(pool, { timeoutMs: app.config.connectionSeconds * 1_000 });
    const access = await createReadAccess(orm);
    const replicas = app.config.replicaUrls.length > 0 ? useReplicas(app, access.primary) : undefined;
    const query = replicas?.query ?? access.query;
    app.decorate('database', { ...access, ...connections, query, orm, pool, replicas });
  },
  { name: 'database' },
);

function useReplicas(app: FastifyInstance, primary: Query): Replicas {
  const replicas = openReplicas(primary, app.config, ({ replica, isUsable, reason }) => {
    if (isUsable) app.log.info({ replica }, 'A read replica is in use');
    else app.log.warn({ replica, err: reason }, 'A read replica is left out');
  });
  // Not before: while the process is busy starting, replicas would seem slow.
  app.addHook('onReady', async () => replicas.start());
  app.addHook('onClose', async () => replicas.close());
  return replicas;
}

const logIntervalMs = 5_000;

/** Decorates the server with the translation of database errors, which it counts, and logs at most one of in five seconds. */
export const databaseErrors = fp(
  async (app: FastifyInstance) => {
    const logged = new WeakSet<Error>();
    let lastLogged = Number.NEGATIVE_INFINITY;
    let suppressed = 0;
    app.decorate('translateError', error => {
      const unavailable = toUnavailable(error);
      // An error that is `Unavailable` already comes from load shedding.
      if (!unavailable || !(error instanceof Error) || unavailable === error || logged.has(error)) return unavailable;
      logged.add(error);
      app.metrics.databaseError();
      const now = performance.now();
      if (now - lastLogged < logIntervalMs) {
        suppressed += 1;
      } else {
        app.log.warn({ err: error, suppressed }, 'The database does not respond');
        lastLogged = now;
        suppressed = 0;
      }
      return unavailable;
    });
  },
  { name: 'database-errors', dependencies: ['metrics'] },
);
