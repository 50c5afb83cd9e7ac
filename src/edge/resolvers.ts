import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import type { Resolvers } from '../generated/graph.ts';
import { EdgeCacheEntity } from './entities.ts';
import { cacheName } from './purge.ts';

export type EdgeCache = Pick<InferEntity<typeof EdgeCacheEntity>, 'url' | 'failingSince' | 'failure'>;

/** One that nobody has tried to purge for so long is no longer configured. */
const usedWithinMs = 60_000;

const findCaches = (em: EntityManager): Promise<EdgeCache[]> =>
  em.find(EdgeCacheEntity, { claimedUntil: { $gt: new Date(Date.now() - usedWithinMs) } }, { orderBy: { url: 'asc' } });

export const edgeResolvers = {
  Query: { edgeCaches: (_root, _args, { forkEntityManager }) => findCaches(forkEntityManager()) },
  EdgeCache: { name: ({ url }) => cacheName(url) },
} satisfies Resolvers;
