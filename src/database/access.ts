import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type Query, queryOn } from './query.ts';

/** How repositories read. */
export interface ReadAccess {
  /** For its metadata and its query builder. */
  readonly em: EntityManager;
  /** For lists and whole configurations, which a replica may serve. */
  readonly query: Query;
  /** For single rows: they cost no more than to find out whether a replica is up to date. */
  readonly primary: Query;
}

/** Reads from the ORM's own pool. */
export async function createReadAccess(orm: MikroORM): Promise<ReadAccess> {
  const query = queryOn(await orm.em.getConnection().getNativeClient());
  return { em: orm.em.fork(), query, primary: query };
}
