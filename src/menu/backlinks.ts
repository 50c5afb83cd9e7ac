import type {
  CategoryNode,
  Configuration,
  MenuItemNode,
  MenuNode,
  ModifierGroupNode,
  ModifierItemNode,
} from './configuration.ts';

/** Which entities refer to which, against the direction in which they are posted. */
export interface Backlinks {
  readonly menusOf: ReadonlyMap<string, readonly MenuNode[]>;
  readonly categoriesOf: ReadonlyMap<string, readonly CategoryNode[]>;
  readonly itemsOf: ReadonlyMap<string, readonly MenuItemNode[]>;
  readonly groupsOf: ReadonlyMap<string, readonly ModifierGroupNode[]>;
  readonly modifierItemsFor: ReadonlyMap<string, readonly ModifierItemNode[]>;
}

const known = new WeakMap<Configuration, Backlinks>();

/** Few queries walk upwards, so the backlinks of a configuration are made when the first one does. */
export function backlinksOf(configuration: Configuration): Backlinks {
  let backlinks = known.get(configuration);
  if (!backlinks) {
    backlinks = {
      menusOf: invert(configuration.menus, menu => menu.categoryExternalIds),
      categoriesOf: invert(configuration.categories, category => category.itemExternalIds),
      itemsOf: invert(configuration.items, item => item.modifierExternalIds),
      groupsOf: invert(configuration.modifierGroups, group => group.modifierItemExternalIds),
      modifierItemsFor: invert(configuration.modifierItems, ({ menuItemExternalId: id }) => (id ? [id] : [])),
    };
    known.set(configuration, backlinks);
  }
  return backlinks;
}

function invert<T>(nodes: ReadonlyMap<string, T>, targets: (node: T) => readonly string[]): Map<string, T[]> {
  const inverted = new Map<string, T[]>();
  for (const node of nodes.values()) {
    for (const externalId of targets(node)) {
      const list = inverted.get(externalId);
      if (list) list.push(node);
      else inverted.set(externalId, [node]);
    }
  }
  return inverted;
}
