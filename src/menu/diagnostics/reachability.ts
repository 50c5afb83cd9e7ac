import type { ModifierItemInput } from '../../generated/graph.ts';
import { isPause } from '../../scheduling/time-slice.ts';
import type { Findings, ValidationContext } from './context.ts';
import { displayName, pluralize } from './messages.ts';

/** Finds entities that guests never see; reports the topmost cause only, not each item of a category in no menu. */
export function* checkReachability(context: ValidationContext): Findings {
  const { menus, categories, items } = context;
  if (menus.length === 0 && items.length + categories.length > 0) {
    const message = `There are ${pluralize(items.length, 'item')} but no menu, so nothing is available.`;
    yield { code: 'NO_MENU', path: ['menus'], message };
  }
  yield* checkMenusAndCategories(context);
  yield* checkItems(context);
  yield* checkModifiers(context);
}

function* checkMenusAndCategories({ menus, categories }: ValidationContext): Findings {
  const listed = new Set(menus.flatMap(menu => menu.categoryExternalIds ?? []));
  for (const [index, menu] of menus.entries()) {
    if (menu.categoryExternalIds?.length) continue;
    const path = ['menus', index, 'categoryExternalIds'] as const;
    yield { code: 'EMPTY_MENU', path, message: `Menu ${displayName(menu)} has no categories, so it shows nothing.` };
  }
  for (const [index, category] of categories.entries()) {
    if (isPause(index)) yield;
    if (!category.itemExternalIds?.length) {
      const path = ['categories', index, 'itemExternalIds'] as const;
      yield { code: 'EMPTY_CATEGORY', path, message: `Category ${displayName(category)} has no items.` };
    }
    if (menus.length > 0 && !listed.has(category.externalId)) {
      const message = `Category ${displayName(category)} is in no menu, so guests do not see it.`;
      yield { code: 'UNREACHABLE_CATEGORY', path: ['categories', index], message };
    }
  }
}

function* checkItems({ categories, items, modifierItems, categoryCounts }: ValidationContext): Findings {
  const usedAsModifier = new Set(modifierItems.map(modifierItem => modifierItem.menuItemExternalId));
  for (const [index, item] of items.entries()) {
    if (isPause(index)) yield;
    if (usedAsModifier.has(item.externalId)) continue;
    if (categoryCounts.has(item.externalId)) {
      if (item.sellSeparately) continue;
      const message = `Item ${displayName(item)} is sold neither separately nor as a modifier, so it cannot be ordered.`;
      yield { code: 'ITEM_NEVER_SOLD', path: ['items', index, 'sellSeparately'], message };
    } else if (categories.length > 0) {
      const message = `Item ${displayName(item)} is in no category and is no modifier, so guests do not see it.`;
      yield { code: 'UNREACHABLE_ITEM', path: ['items', index], message };
    }
  }
}

function* checkModifiers({ modifierGroups, modifierItems, itemCounts }: ValidationContext): Findings {
  const grouped = new Set<ModifierItemInput>();
  for (const group of modifierGroups) {
    for (const modifierItem of group.modifierItems) grouped.add(modifierItem);
    yield;
  }
  for (const [index, group] of modifierGroups.entries()) {
    if (isPause(index)) yield;
    if (itemCounts.has(group.externalId)) continue;
    const message = `Modifier group ${displayName(group)} is at no item, so guests are never asked to choose from it.`;
    yield { code: 'UNREACHABLE_GROUP', path: ['modifierGroups', index], message };
  }
  for (const [index, modifierItem] of modifierItems.entries()) {
    if (isPause(index)) yield;
    if (grouped.has(modifierItem)) continue;
    const message = `Modifier item ${displayName(modifierItem)} is in no modifier group, so guests cannot choose it.`;
    yield { code: 'UNREACHABLE_MODIFIER_ITEM', path: ['modifierItems', index], message };
  }
}
