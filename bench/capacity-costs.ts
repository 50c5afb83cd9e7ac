/** Milliseconds of CPU that a request costs in Carte and PostgreSQL together, as measured; put in new figures here. */
export const costs = {
  /** A tree of 3.4 MB that is kept, and one of 30 kB. */
  largeTree: 1.7,
  smallTree: 0.3,
  /** The same where nothing is kept: the first read after a POST through another process. */
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

/** Which part of that is PostgreSQL's: estimated. */
export const databaseShare = 0.4;

/** What restaurants do: assumed, and the first thing to replace by what yours do. */
export const habits = {
  tillsPerStore: 2,
  /** Each till asks for the newest orders so often, with the tag of the last answer. */
  pollSeconds: 15,
  ordersPerDay: 80,
  /** An order is written so often: created, accepted, ready, fulfilled. */
  changesPerOrder: 4,
  readsPerOrder: 2,
  graphqlPerOrder: 15,
  menuReadsPerDay: 200,
  /** Of these, so many come with a tag that is still good. */
  menuReadsWithTag: 0.6,
  postsPerDay: 2,
  storeReadsPerDay: 50,
  /** Of a day's work, so much falls into its busiest hour. */
  busiestHour: 0.15,
  /** So many stores have a menu of 3.4 MB, the others one of 30 kB. */
  largeMenus: 0.1,
  /** The n-th most popular store has a share of 1 / n to this power. */
  popularity: 1,
} as const;

/** Sizes in bytes; those of rows with their indexes. */
export const sizes = {
  largeTree: 3_400_000,
  smallTree: 30_000,
  /** Kept answers hold compressed forms too. */
  keptForms: 1.15,
  largeMenuRows: 2_000_000,
  smallMenuRows: 40_000,
  order: 1_500,
  process: 250_000_000,
  cache: 134_217_728,
} as const;

/** How far a thing may be used before it counts as full. */
export const limits = {
  cpuUse: 0.6,
  /** Of one database server. */
  databaseCores: 16,
  databaseBytes: 1e12,
  connections: 300,
  connectionsPerProcess: 10,
  yearsOfOrders: 2,
} as const;
