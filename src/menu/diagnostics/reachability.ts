import type { EntityChecks, Findings, ValidationContext } from './context.ts';
import { pluralize } from './messages.ts';

export function* checkNoMenu({ menus, categories, items }: ValidationContext): Findings {
  if (menus.length > 0 || items.length + categories.length === 0) return;
  const message = `There are ${pluralize(items.length, 'item')} but no menu, so nothing is available.`;
  yield { code: 'NO_MENU', path: ['menus'], message };
}

/** Reports what guests never see: the topmost cause, not each item of a category in no menu. */
export const reachabilityChecks: EntityChecks = {
  *menus({ categoryExternalIds }) {
    if (categoryExternalIds.length) return;
    yield { code: 'EMPTY_MENU', at: ['categoryExternalIds'], text: 'has no categories, so it shows nothing' };
  },
  *categories({ externalId, itemExternalIds }, { menus, parents }) {
    if (!itemExternalIds.length) yield { code: 'EMPTY_CATEGORY', at: ['itemExternalIds'], text: 'has no items' };
    if (menus.length > 0 && !parents.categories.has(externalId)) {
      yield { code: 'UNREACHABLE_CATEGORY', text: 'is in no menu, so guests do not see it' };
    }
  },
  *items({ externalId, sellSeparately }, { categories, itemsOfModifiers, parents }) {
    if (itemsOfModifiers.has(externalId)) return;
    if (parents.items.has(externalId)) {
      if (sellSeparately) return;
      const text = 'is sold neither separately nor as a modifier, so it cannot be ordered';
      yield { code: 'ITEM_NEVER_SOLD', at: ['sellSeparately'], text };
    } else if (categories.length > 0) {
      yield { code: 'UNREACHABLE_ITEM', text: 'is in no category and is no modifier, so guests do not see it' };
    }
  },
  *modifierGroups({ externalId }, { parents }) {
    if (parents.modifierGroups.has(externalId)) return;
    yield { code: 'UNREACHABLE_GROUP', text: 'is at no item, so guests are never asked to choose from it' };
  },
  *modifierItems({ externalId }, { parents }) {
    if (parents.modifierItems.has(externalId)) return;
    yield { code: 'UNREACHABLE_MODIFIER_ITEM', text: 'is in no modifier group, so guests cannot choose it' };
  },
};
