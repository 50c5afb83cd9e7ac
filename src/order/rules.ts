import {
  backlinksOf,
  type MenuItemNode,
  type MenuNode,
  type ModifierGroupNode,
  type ModifierItemNode,
  memoize,
} from '../menu/configuration.ts';

export interface GroupRules {
  readonly group: ModifierGroupNode;
  readonly modifierItems: ReadonlyMap<string, ModifierItemNode>;
  /** The modifier items with a minimum, which hold also if they are not chosen. */
  readonly required: readonly ModifierItemNode[];
}

export interface ItemRules {
  readonly item: MenuItemNode;
  readonly groups: ReadonlyMap<string, GroupRules>;
  /** The groups from which something must be chosen. */
  readonly required: readonly GroupRules[];
}

// An item may have thousands of groups and be in thousands of menus. What follows from an immutable configuration alone is computed for the first
// order, and shared by the next ones.

export const rulesOfGroup = memoize(
  (group: ModifierGroupNode): GroupRules => ({
    group,
    modifierItems: new Map(group.modifierItems.map(modifierItem => [modifierItem.externalId, modifierItem])),
    required: group.modifierItems.filter(({ minQuantity }) => minQuantity > 0),
  }),
);

export const rulesOf = memoize((item: MenuItemNode): ItemRules => {
  const groups = new Map(item.modifierGroups.map(group => [group.externalId, rulesOfGroup(group)]));
  const isRequired = ({ group, required }: GroupRules) => group.groupMin > 0 || required.length > 0;
  return { item, groups, required: [...groups.values()].filter(isRequired) };
});

/** The menus that list an item in one of their categories. */
export const menusOf = memoize((item: MenuItemNode): readonly MenuNode[] => {
  const { categoriesByItem, menusByCategory } = backlinksOf(item.configuration);
  const categories = categoriesByItem.get(item.externalId) ?? [];
  return [...new Set(categories.flatMap(category => menusByCategory.get(category.externalId) ?? []))];
});
