/** Measured milliseconds of CPU per read or post, Carte and PostgreSQL together; replace them by your own measurements. */
export const costs = {
  /** A cached tree of 3.4 MB, and one of 30 kB. */
  largeTree: 1.7,
  smallTree: 0.3,
  /** The same on a cache miss: the first read after a POST through another process. */
  largeTreeMade: 50,
  smallTreeMade: 4,
  notModified: 0.2,
  orderList: 1.7,
  order: 0.3,
  store: 0.3,
  graphql: 0.2,
  largePost: 110,
  smallPost: 14,
} as const;

/** Estimated share of PostgreSQL. */
export const databaseShare = 0.4;

/** Measured by `npm run bench -- writes`: milliseconds of CPU, and bytes of WAL. */
export const writes = {
  /** An order from its placing to its end: four transactions, and four events in the log. */
  order: { server: 12, database: 7.4, wal: 12_500 },
  /** One event that is delivered to one webhook. */
  delivery: { server: 2.2, database: 1.6, wal: 3_600 },
} as const;

/** Assumed behaviour of restaurants: the first thing to replace by your own figures. */
export const habits = {
  tillsPerStore: 2,
  /** Seconds between two polls of a POS for the newest orders, with If-None-Match. */
  pollSeconds: 15,
  ordersPerDay: 80,
  /** Writes per order: created, accepted, ready, fulfilled. */
  changesPerOrder: 4,
  /** Share of stores with a webhook for their orders. */
  webhooks: 0.5,
  readsPerOrder: 2,
  graphqlPerOrder: 15,
  menuReadsPerDay: 200,
  /** Share of these whose ETag still matches. */
  menuReadsWithTag: 0.6,
  postsPerDay: 2,
  storeReadsPerDay: 50,
  /** Share of a day's requests in its busiest hour. */
  busiestHour: 0.15,
  /** Share of stores with a menu of 3.4 MB; the others have one of 30 kB. */
  largeMenus: 0.1,
  /** Exponent of the Zipf distribution of requests over stores. */
  popularity: 1,
} as const;

/** Sizes in bytes; rows include their indexes. */
export const sizes = {
  largeTree: 3_400_000,
  smallTree: 30_000,
  /** Cached responses include their compressed representations. */
  keptForms: 1.15,
  largeMenuRows: 2_000_000,
  smallMenuRows: 40_000,
  order: 1_500,
  /** The events and deliveries of an order, which are deleted after some days. */
  orderEvents: 1_900,
  process: 250_000_000,
  cache: 134_217_728,
} as const;

/** Thresholds at which a resource counts as full. */
export const limits = {
  cpuUse: 0.6,
  /** Limits of one database server. */
  databaseCores: 16,
  databaseBytes: 1e12,
  connections: 300,
  connectionsPerProcess: 10,
  yearsOfOrders: 2,
  /** The default of CARTE_EVENTS_KEEP_DAYS. */
  daysOfEvents: 7,
} as const;
