import { memoize } from '@carte/base/memoize';
import type { Steps } from '@carte/base/time-slice';
import type { EntityRow } from '../database/query.ts';
import type { AccessScope } from '../scope.ts';
import type { Category, Menu, MenuItem, ModifierGroup, ModifierItem } from './entities.ts';
import type { KindName } from './kinds.ts';

/** A row as JSON, in which absent values are null; its store and position follow from the configuration. */
type MenuRow<Entity> = { readonly numericId: number } & Omit<EntityRow<Entity>, 'id' | 'store' | 'position'>;

/** The five lists of a store's configuration, each in posted order. */
export interface ConfigurationRows {
  readonly menus: readonly MenuRow<Menu>[];
  readonly categories: readonly MenuRow<Category>[];
  readonly items: readonly MenuRow<MenuItem>[];
  readonly modifierGroups: readonly MenuRow<ModifierGroup>[];
  readonly modifierItems: readonly MenuRow<ModifierItem>[];
}

interface Node {
  readonly configuration: Configuration;
}
export interface MenuNode extends MenuRow<Menu>, Node {
  readonly categories: readonly CategoryNode[];
}
export interface CategoryNode extends MenuRow<Category>, Node {
  readonly items: readonly MenuItemNode[];
}
export interface MenuItemNode extends MenuRow<MenuItem>, Node {
  readonly modifierGroups: readonly ModifierGroupNode[];
}
export interface ModifierGroupNode extends MenuRow<ModifierGroup>, Node {
  readonly modifierItems: readonly ModifierItemNode[];
}
export interface ModifierItemNode extends MenuRow<ModifierItem>, Node {
  item: MenuItemNode | null;
}

/** The entities by kind. */
export interface NodesByKind {
  readonly menus: MenuNode;
  readonly categories: CategoryNode;
  readonly items: MenuItemNode;
  readonly modifierGroups: ModifierGroupNode;
  readonly modifierItems: ModifierItemNode;
}

/** The entities of each kind by external id. */
type NodeMaps = { readonly [Kind in KindName]: ReadonlyMap<string, NodesByKind[Kind]> };

/** One revision of a store's menu configuration, linked in memory; immutable, since requests share it. */
export interface Configuration extends NodeMaps {
  readonly storeId: string;
  readonly revision: number;
  /** Whether it was read from the history, even if it is the current one: its entities then have ids of their own. */
  readonly isPast: boolean;
}

/** Links rows to nodes; parents share child nodes, so memory grows with the rows and not with the expanded tree. */
export function* linkConfiguration(
  storeId: string,
  revision: number,
  rows: ConfigurationRows,
  { isPast = false } = {},
): Steps<Configuration> {
  const menus = new Map<string, MenuNode>();
  const categories = new Map<string, CategoryNode>();
  const items = new Map<string, MenuItemNode>();
  const modifierGroups = new Map<string, ModifierGroupNode>();
  const modifierItems = new Map<string, ModifierItemNode>();
  const configuration = { storeId, revision, isPast, menus, categories, items, modifierGroups, modifierItems };

  for (const row of rows.modifierItems) {
    modifierItems.set(row.externalId, { ...row, configuration, item: null });
    yield;
  }
  for (const row of rows.modifierGroups) {
    const children = findAll(modifierItems, row.modifierItemExternalIds);
    modifierGroups.set(row.externalId, { ...row, configuration, modifierItems: children });
    yield;
  }
  for (const row of rows.items) {
    const children = findAll(modifierGroups, row.modifierGroupExternalIds);
    items.set(row.externalId, { ...row, configuration, modifierGroups: children });
    yield;
  }
  for (const row of rows.categories) {
    categories.set(row.externalId, { ...row, configuration, items: findAll(items, row.itemExternalIds) });
    yield;
  }
  for (const row of rows.menus) {
    menus.set(row.externalId, { ...row, configuration, categories: findAll(categories, row.categoryExternalIds) });
    yield;
  }
  for (const node of modifierItems.values()) {
    if (!node.itemExternalId) continue;
    node.item = items.get(node.itemExternalId) ?? null;
    yield;
  }
  return configuration;
}

function findAll<T>(nodes: ReadonlyMap<string, T>, externalIds: readonly string[]): readonly T[] {
  return externalIds.map(id => nodes.get(id)).filter(node => node !== undefined);
}

/** The inverse of the references: the entities that refer to an entity, by its external id. Computed when first used, since few queries select them. */
export const backlinksOf = memoize((configuration: Configuration) => ({
  menusByCategory: invert(configuration.menus, menu => menu.categoryExternalIds),
  categoriesByItem: invert(configuration.categories, category => category.itemExternalIds),
  itemsByGroup: invert(configuration.items, item => item.modifierGroupExternalIds),
  groupsByModifierItem: invert(configuration.modifierGroups, group => group.modifierItemExternalIds),
  modifierItemsByItem: invert(configuration.modifierItems, ({ itemExternalId: id }) => (id ? [id] : [])),
}));

/** The menus that list an item in one of their categories. */
export const menusOf = memoize((item: MenuItemNode): readonly MenuNode[] => {
  const { categoriesByItem, menusByCategory } = backlinksOf(item.configuration);
  const categories = categoriesByItem.get(item.externalId) ?? [];
  return [...new Set(categories.flatMap(category => menusByCategory.get(category.externalId) ?? []))];
});

const isItemListed = (item: MenuItemNode) => menusOf(item).length > 0;

const isGroupListed = memoize(
  ({ externalId, configuration }: ModifierGroupNode): boolean =>
    backlinksOf(configuration).itemsByGroup.get(externalId)?.some(isItemListed) === true,
);

const isModifierItemListed = memoize(
  ({ externalId, configuration }: ModifierItemNode): boolean =>
    backlinksOf(configuration).groupsByModifierItem.get(externalId)?.some(isGroupListed) === true,
);

/** Whether a guest finds an entity by reading the menus, where it is on none of them only through another item. */
export const isListed: { readonly [Kind in KindName]: (node: NodesByKind[Kind]) => boolean } = {
  menus: () => true,
  categories: ({ externalId, configuration }) => backlinksOf(configuration).menusByCategory.has(externalId),
  items: isItemListed,
  modifierGroups: isGroupListed,
  modifierItems: isModifierItemListed,
};

const withListedItems = memoize(
  (configuration: Configuration): Configuration => ({
    ...configuration,
    items: new Map([...configuration.items].filter(([, item]) => isItemListed(item))),
  }),
);

/** A configuration in which a caller may look up items: guests do not know those that no menu lists. */
export const knownTo = (scope: AccessScope | undefined, configuration: Configuration): Configuration =>
  scope?.publishable ? withListedItems(configuration) : configuration;

function invert<T>(
  nodes: ReadonlyMap<string, T>,
  referencesOf: (node: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const inverted = new Map<string, T[]>();
  for (const node of nodes.values()) {
    for (const externalId of referencesOf(node)) {
      const list = inverted.get(externalId);
      if (list) list.push(node);
      else inverted.set(externalId, [node]);
    }
  }
  return inverted;
}
