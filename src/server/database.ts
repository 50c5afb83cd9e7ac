import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Pool } from 'pg';
import { createReadAccess, type ReadAccess } from '../database/access.ts';
import { type ConnectionShares, shareConnections } from '../database/connection-shares.ts';
import type { Query } from '../database/query.ts';
import { openReplicas, type Replicas } from '../database/replicas.ts';

export interface ServerDatabase extends ReadAccess, ConnectionShares {
  readonly orm: MikroORM;
  readonly pool: Pool;
  readonly replicas: Replicas | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly database: ServerDatabase;
  }
}

/** Decorates the server with its database, whose connections the keys share. The ORM is closed by who opened it. */
export const database = fp(
  async (app: FastifyInstance, { orm }: { readonly orm: MikroORM }) => {
    const pool: Pool = await orm.em.getConnection().getNativeClient();
    const connections = shareConnections(pool, { timeoutMs: app.config.connectionSeconds * 1_000 });
    const access = await createReadAccess(orm);
    const replicas = app.config.replicaUrls.length > 0 ? useReplicas(app, access.primary) : undefined;
    app.decorate('database', {
      ...access,
      ...connections,
      query: replicas?.query ?? access.query,
      orm,
      pool,
      replicas,
    });
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
