import { defineEntity, p } from '@mikro-orm/core';

/** A cache that is purged, and how far. */
export const EdgeCacheEntity = defineEntity({
  name: 'EdgeCache',
  tableName: 'edge_cache',
  properties: {
    url: p.text().primary().collation('C'),
    /** It has confirmed the purges of all events up to this position of the log; 0 before its first. */
    position: p.bigint('number'),
    /** The same, of the purges that are repeated. */
    repeated: p.bigint('number'),
    /** The process that purges it. */
    claim: p.uuid().nullable(),
    claimedUntil: p.datetime(3).defaultRaw('now()'),
    /** When the first change happened that it has not confirmed, or the first attempt. */
    failingSince: p.datetime(3).nullable(),
    /** Why it has not. */
    failure: p.text().nullable(),
  },
});
