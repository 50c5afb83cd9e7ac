import type { Finding, Subject } from './subject.ts';
import { called, counted } from './wording.ts';

interface Stocked {
  readonly inStock?: boolean | null | undefined;
}

const isInStock = ({ inStock }: Stocked) => inStock !== false;

/** What being out of stock leads to beyond the entity itself. */
export function* checkStock(subject: Subject): Generator<Finding> {
  yield* checkCategories(subject);
  yield* checkGroups(subject);
  yield* checkModifierItems(subject);
}

function* checkCategories({ categories }: Subject): Generator<Finding> {
  for (const [at, category] of categories.entries()) {
    if (category.listed.length === 0 || category.listed.some(isInStock)) continue;
    const message =
      category.listed.length === 1
        ? `The only item of category ${called(category)} is out of stock.`
        : `All ${category.listed.length} items of category ${called(category)} are out of stock.`;
    yield { code: 'CATEGORY_OUT_OF_STOCK', path: ['categories', at], message };
  }
}

/** Groups that would do if everything were in stock; the others are told without regard to stock. */
function* checkGroups({ modifierGroups, itemsOf }: Subject): Generator<Finding> {
  for (const [at, group] of modifierGroups.entries()) {
    const { groupMin, groupMax } = group;
    if (groupMin <= 0 || groupMin > groupMax) continue;
    let whole = 0;
    let left = 0;
    for (const member of group.members) {
      const most = Math.max(0, member.maxQuantity);
      whole += most;
      if (isInStock(member)) left += most;
    }
    if (whole < groupMin || left >= groupMin) continue;
    const blocked = counted(itemsOf.get(group.externalId) ?? 0, 'item');
    const needed = `at least ${counted(groupMin, 'selection')}, but its stock allows ${left}`;
    const message = `Modifier group ${called(group)} asks for ${needed}, so ${blocked} cannot be ordered.`;
    yield { code: 'GROUP_OUT_OF_STOCK', path: ['modifierGroups', at, 'groupMin'], message };
  }
}

function* checkModifierItems({ modifierItems, itemById }: Subject): Generator<Finding> {
  for (const [at, modifierItem] of modifierItems.entries()) {
    const item = itemById.get(modifierItem.menuItemExternalId ?? '');
    if (!isInStock(modifierItem)) {
      if (modifierItem.defaultQuantity <= 0) continue;
      const message = `Modifier item ${called(modifierItem)} is chosen by default but out of stock.`;
      yield { code: 'DEFAULT_OUT_OF_STOCK', path: ['modifierItems', at, 'defaultQuantity'], message };
    } else if (item && !isInStock(item)) {
      const message = `Modifier item ${called(modifierItem)} is in stock, but its item ${called(item)} is not.`;
      yield { code: 'STOCK_MISMATCH', path: ['modifierItems', at, 'inStock'], message };
    }
  }
}
