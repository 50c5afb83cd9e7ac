/** Maximum size of a menu configuration (docs/interface.md#size). */
export interface MenuLimits {
  readonly entities: number;
  readonly links: number;
  /** Nodes of the expanded tree, in which a shared entity counts once per occurrence. */
  readonly treeNodes: number;
  /** Bytes of JSON of the expanded tree. */
  readonly treeBytes: number;
}

export const defaultMenuLimits: MenuLimits = {
  entities: 20_000,
  links: 200_000,
  treeNodes: 500_000,
  treeBytes: 128 * 1024 * 1024,
};

/** How much of a store's menu history is retained, documented in docs/menu-history.md#what-is-kept. */
export interface HistoryLimits {
  /** Number of revisions, the current one included. */
  readonly revisions: number;
  /** Days for which a revision is retained after another has replaced it. */
  readonly days: number;
  /** Bytes of JSON before compression, over all changes to the store's menu. */
  readonly bytes: number;
}

export const defaultHistoryLimits: HistoryLimits = { revisions: 1000, days: 365, bytes: 32 * 1024 * 1024 };
