/** How the database is used, where no setting says otherwise. */
export const defaultDatabaseOptions = { poolSize: 10, connectionSeconds: 5, statementSeconds: 30, prepare: true };

/** Maximum size of a menu configuration (docs/interface.md#size). */
export const defaultMenuLimits = {
  entities: 20_000,
  links: 200_000,
  /** Nodes of the expanded tree, in which a shared entity counts once per occurrence. */
  treeNodes: 500_000,
  /** Bytes of JSON of the expanded tree. */
  treeBytes: 128 * 1024 * 1024,
};
export type MenuLimits = Readonly<typeof defaultMenuLimits>;

/** What the texts and hours of a menu may have, far above any real one: what serves them relies on it, so that no setting changes it. */
export const menuTextLimits = {
  /** Language keys of all texts of a configuration. */
  languages: 100,
  /** Characters of a language key. */
  languageKey: 64,
  /** Characters of a text, in all its languages together. */
  characters: 100_000,
  /** Elements of the availability of a menu. */
  days: 1_000,
  /** Time periods of a menu on one day of the week. */
  periodsPerDay: 100,
};

/** How much of a store's menu history is retained, documented in docs/menu-history.md#what-is-kept. */
export const defaultHistoryLimits = {
  /** Number of revisions, the current one included. */
  revisions: 1000,
  /** Days for which a revision is retained after another has replaced it. */
  days: 365,
  /** Bytes of JSON before compression, over all changes to the store's menu. */
  bytes: 32 * 1024 * 1024,
};
export type HistoryLimits = Readonly<typeof defaultHistoryLimits>;

/** Limits on orders of guests; 0 disables one. An address may be the Wi-Fi of a restaurant. */
export const defaultGuestOrderLimits = {
  /** Orders an hour in each process: of an address with one key, of all with one key, and of a store. */
  perAddress: 60,
  perKey: 1_000,
  perStore: 500,
  /** Orders of the last day that a store has not decided on: of an address with one key, and of all guests. */
  pendingPerAddress: 20,
  pendingPerStore: 100,
  /** The sum of the quantities of an order's lines. */
  units: 100,
};
export type GuestOrderLimits = Readonly<typeof defaultGuestOrderLimits>;
