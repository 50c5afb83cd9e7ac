import type { Category, Menu, MenuItem, ModifierGroup, ModifierItem } from './entities.ts';

/** The row of an entity as a configuration holds it: which store and which place are said by the configuration. */
type Row<Entity> = Readonly<Omit<Entity, 'store' | 'position'>>;

/** The five lists of a store's configuration, each in posted order. */
export interface ConfigurationRows {
  readonly menus: readonly Row<Menu>[];
  readonly categories: readonly Row<Category>[];
  readonly items: readonly Row<MenuItem>[];
  readonly modifierGroups: readonly Row<ModifierGroup>[];
  readonly modifierItems: readonly Row<ModifierItem>[];
}

interface Node {
  readonly configuration: Configuration;
}
export interface MenuNode extends Row<Menu>, Node {
  readonly categories: readonly CategoryNode[];
}
export interface CategoryNode extends Row<Category>, Node {
  readonly items: readonly MenuItemNode[];
}
export interface MenuItemNode extends Row<MenuItem>, Node {
  readonly modifierGroups: readonly ModifierGroupNode[];
}
export interface ModifierGroupNode extends Row<ModifierGroup>, Node {
  readonly modifierItems: readonly ModifierItemNode[];
}
export interface ModifierItemNode extends Row<ModifierItem>, Node {
  menuItem: MenuItemNode | null;
}

/** One revision of a store's whole menu configuration, linked in memory. It is shared between requests: never changed. */
export interface Configuration {
  readonly storeId: string;
  readonly revision: number;
  readonly menus: ReadonlyMap<string, MenuNode>;
  readonly categories: ReadonlyMap<string, CategoryNode>;
  readonly items: ReadonlyMap<string, MenuItemNode>;
  readonly modifierGroups: ReadonlyMap<string, ModifierGroupNode>;
  readonly modifierItems: ReadonlyMap<string, ModifierItemNode>;
}

/** Links the rows of a configuration; children are shared, so that its size is that of the rows and not of the tree. */
export function linkConfiguration(storeId: string, revision: number, rows: ConfigurationRows): Configuration {
  const menus = new Map<string, MenuNode>();
  const categories = new Map<string, CategoryNode>();
  const items = new Map<string, MenuItemNode>();
  const modifierGroups = new Map<string, ModifierGroupNode>();
  const modifierItems = new Map<string, ModifierItemNode>();
  const configuration = { storeId, revision, menus, categories, items, modifierGroups, modifierItems };

  for (const row of rows.modifierItems) modifierItems.set(row.externalId, { ...row, configuration, menuItem: null });
  for (const row of rows.modifierGroups) {
    const children = pick(modifierItems, row.modifierItemExternalIds);
    modifierGroups.set(row.externalId, { ...row, configuration, modifierItems: children });
  }
  for (const row of rows.items) {
    const children = pick(modifierGroups, row.modifierExternalIds);
    items.set(row.externalId, { ...row, configuration, modifierGroups: children });
  }
  for (const row of rows.categories) {
    categories.set(row.externalId, { ...row, configuration, items: pick(items, row.itemExternalIds) });
  }
  for (const row of rows.menus) {
    menus.set(row.externalId, { ...row, configuration, categories: pick(categories, row.categoryExternalIds) });
  }
  for (const node of modifierItems.values()) {
    if (node.menuItemExternalId) node.menuItem = items.get(node.menuItemExternalId) ?? null;
  }
  return configuration;
}

function pick<T>(nodes: ReadonlyMap<string, T>, externalIds: readonly string[]): readonly T[] {
  return externalIds.map(id => nodes.get(id)).filter(node => node !== undefined);
}
