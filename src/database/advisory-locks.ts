/** The keys of all advisory locks: arbitrary, but unique in the database. */
export const advisoryLocks = {
  migration: 7_274_921,
  /** Of schema/sql/event-log.sql, which has the number itself. */
  sequencing: 7_274_922,
  eventRetention: 7_274_923,
  /** With a hash of the store's id. */
  ordering: 7_274_924,
  /** As above. */
  guestOrders: 7_274_925,
  orderRetention: 7_274_926,
} as const;
