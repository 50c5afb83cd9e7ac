import type { Finding, Subject } from './subject.ts';
import { called, counted } from './wording.ts';

/** What no guest comes across. Only the topmost cause is named: the items of a category in no menu are not repeated. */
export function* checkReachability(subject: Subject): Generator<Finding> {
  const { menus, categories, items } = subject;
  if (menus.length === 0 && items.length + categories.length > 0) {
    const message = `There are ${counted(items.length, 'item')} but no menu, so nothing is on sale.`;
    yield { code: 'NO_MENU', path: ['menus'], message };
  }
  yield* checkMenusAndCategories(subject);
  yield* checkItems(subject);
  yield* checkModifiers(subject);
}

function* checkMenusAndCategories({ menus, categories }: Subject): Generator<Finding> {
  const listed = new Set(menus.flatMap(menu => menu.categoryExternalIds ?? []));
  for (const [at, menu] of menus.entries()) {
    if (menu.categoryExternalIds?.length) continue;
    const path = ['menus', at, 'categoryExternalIds'] as const;
    yield { code: 'EMPTY_MENU', path, message: `Menu ${called(menu)} has no categories, so it shows nothing.` };
  }
  for (const [at, category] of categories.entries()) {
    if (!category.itemExternalIds?.length) {
      const path = ['categories', at, 'itemExternalIds'] as const;
      yield { code: 'EMPTY_CATEGORY', path, message: `Category ${called(category)} has no items.` };
    }
    if (menus.length > 0 && !listed.has(category.externalId)) {
      const message = `Category ${called(category)} is in no menu, so guests do not see it.`;
      yield { code: 'UNREACHABLE_CATEGORY', path: ['categories', at], message };
    }
  }
}

function* checkItems({ categories, items, modifierItems, categoriesOf }: Subject): Generator<Finding> {
  const meant = new Set(modifierItems.map(modifierItem => modifierItem.menuItemExternalId));
  for (const [at, item] of items.entries()) {
    if (meant.has(item.externalId)) continue;
    if (categoriesOf.has(item.externalId)) {
      if (item.sellSeparately) continue;
      const message = `Item ${called(item)} is sold neither separately nor as a modifier, so it cannot be ordered.`;
      yield { code: 'ITEM_NEVER_SOLD', path: ['items', at, 'sellSeparately'], message };
    } else if (categories.length > 0) {
      const message = `Item ${called(item)} is in no category and is no modifier, so guests do not see it.`;
      yield { code: 'UNREACHABLE_ITEM', path: ['items', at], message };
    }
  }
}

function* checkModifiers({ modifierGroups, modifierItems, itemsOf }: Subject): Generator<Finding> {
  const members = new Set(modifierGroups.flatMap(group => group.members));
  for (const [at, group] of modifierGroups.entries()) {
    if (itemsOf.has(group.externalId)) continue;
    const message = `Modifier group ${called(group)} is at no item, so guests are never asked to choose from it.`;
    yield { code: 'UNREACHABLE_GROUP', path: ['modifierGroups', at], message };
  }
  for (const [at, modifierItem] of modifierItems.entries()) {
    if (members.has(modifierItem)) continue;
    const message = `Modifier item ${called(modifierItem)} is in no modifier group, so guests cannot choose it.`;
    yield { code: 'UNREACHABLE_MODIFIER_ITEM', path: ['modifierItems', at], message };
  }
}
