import { isPause } from '../../scheduling/time-slice.ts';
import type { Findings, ValidationContext } from './context.ts';
import { displayName, pluralize } from './messages.ts';

interface Stocked {
  readonly inStock?: boolean | null | undefined;
}

const isInStock = ({ inStock }: Stocked) => inStock !== false;

/** Finds the consequences of entities out of stock for others. */
export function* checkStock(context: ValidationContext): Findings {
  yield* checkCategories(context);
  yield* checkGroups(context);
  yield* checkModifierItems(context);
}

function* checkCategories({ categories }: ValidationContext): Findings {
  for (const [index, category] of categories.entries()) {
    if (isPause(index)) yield;
    if (category.items.length === 0 || category.items.some(isInStock)) continue;
    const message =
      category.items.length === 1
        ? `The only item of category ${displayName(category)} is out of stock.`
        : `All ${category.items.length} items of category ${displayName(category)} are out of stock.`;
    yield { code: 'CATEGORY_OUT_OF_STOCK', path: ['categories', index], message };
  }
}

/** Skips groups that could not be satisfied with everything in stock, which `checkModifierGroups` reports. */
function* checkGroups({ modifierGroups, itemCounts }: ValidationContext): Findings {
  for (const [index, group] of modifierGroups.entries()) {
    if (isPause(index)) yield;
    const { groupMin, groupMax } = group;
    if (groupMin <= 0 || groupMin > groupMax) continue;
    let total = 0;
    let available = 0;
    for (const modifierItem of group.modifierItems) {
      const max = Math.max(0, modifierItem.maxQuantity);
      total += max;
      if (isInStock(modifierItem)) available += max;
    }
    if (total < groupMin || available >= groupMin) continue;
    const blocked = pluralize(itemCounts.get(group.externalId) ?? 0, 'item');
    const needed = `at least ${pluralize(groupMin, 'selection')}, but its stock allows ${available}`;
    const message = `Modifier group ${displayName(group)} asks for ${needed}, so ${blocked} cannot be ordered.`;
    yield { code: 'GROUP_OUT_OF_STOCK', path: ['modifierGroups', index, 'groupMin'], message };
  }
}

function* checkModifierItems({ modifierItems, itemById }: ValidationContext): Findings {
  for (const [index, modifierItem] of modifierItems.entries()) {
    if (isPause(index)) yield;
    const item = itemById.get(modifierItem.menuItemExternalId ?? '');
    if (!isInStock(modifierItem)) {
      if (modifierItem.defaultQuantity <= 0) continue;
      const message = `Modifier item ${displayName(modifierItem)} is chosen by default but out of stock.`;
      yield { code: 'DEFAULT_OUT_OF_STOCK', path: ['modifierItems', index, 'defaultQuantity'], message };
    } else if (item && !isInStock(item)) {
      const message = `Modifier item ${displayName(modifierItem)} is in stock, but its item ${displayName(item)} is not.`;
      yield { code: 'STOCK_MISMATCH', path: ['modifierItems', index, 'inStock'], message };
    }
  }
}
