import type { EntityCheck, Findings, ValidationContext } from './context.ts';
import { pluralize } from './messages.ts';

// What guests never see: the topmost cause is reported, not each item of a category in no menu.

export function* checkNoMenu({ menus, categories, items }: ValidationContext): Findings {
  if (menus.length > 0 || items.length + categories.length === 0) return;
  const message = `There are ${pluralize(items.length, 'item')} but no menu, so nothing is available.`;
  yield { code: 'NO_MENU', path: ['menus'], message };
}

export const checkMenuCategories: EntityCheck<'menus'> = function* ({ categoryExternalIds }) {
  if (categoryExternalIds.length) return;
  yield { code: 'EMPTY_MENU', at: ['categoryExternalIds'], text: 'has no categories, so it shows nothing' };
};

export const checkCategory: EntityCheck<'categories'> = function* (category, { menus, parents }) {
  if (!category.itemExternalIds.length) yield { code: 'EMPTY_CATEGORY', at: ['itemExternalIds'], text: 'has no items' };
  if (menus.length > 0 && !parents.categories.has(category.externalId)) {
    yield { code: 'UNREACHABLE_CATEGORY', text: 'is in no menu, so guests do not see it' };
  }
};

export const checkItem: EntityCheck<'items'> = function* ({ externalId, sellSeparately }, context) {
  if (context.itemsOfModifiers.has(externalId)) return;
  if (context.parents.items.has(externalId)) {
    if (sellSeparately) return;
    const text = 'is sold neither separately nor as a modifier, so it cannot be ordered';
    yield { code: 'ITEM_NEVER_SOLD', at: ['sellSeparately'], text };
  } else if (context.categories.length > 0) {
    yield { code: 'UNREACHABLE_ITEM', text: 'is in no category and is no modifier, so guests do not see it' };
  }
};

export const checkModifierGroup: EntityCheck<'modifierGroups'> = function* ({ externalId }, { parents }) {
  if (parents.modifierGroups.has(externalId)) return;
  yield { code: 'UNREACHABLE_GROUP', text: 'is at no item, so guests are never asked to choose from it' };
};

export const checkModifierItem: EntityCheck<'modifierItems'> = function* ({ externalId }, { parents }) {
  if (parents.modifierItems.has(externalId)) return;
  yield { code: 'UNREACHABLE_MODIFIER_ITEM', text: 'is in no modifier group, so guests cannot choose it' };
};
