/** How large a configuration may be: docs/interface.md#size. */
export interface MenuLimits {
  readonly entities: number;
  readonly links: number;
  /** Shared entities count each time that the tree repeats them. */
  readonly treeNodes: number;
  /** The same in bytes of JSON: one long text may stand in many places. */
  readonly treeBytes: number;
}

export const defaultMenuLimits: MenuLimits = {
  entities: 20_000,
  links: 200_000,
  treeNodes: 500_000,
  treeBytes: 128 * 1024 * 1024,
};
