import type { EntityChecks } from './context.ts';
import { displayName, pluralize } from './messages.ts';

const isInStock = ({ inStock }: { readonly inStock: boolean }) => inStock;

/** Checks the consequences of entities out of stock for others. */
export const stockChecks: EntityChecks = {
  *categories(category) {
    const { items } = category;
    if (items.length === 0 || items.some(isInStock)) return;
    const message =
      items.length === 1
        ? `The only item of category ${displayName(category)} is out of stock.`
        : `All ${items.length} items of category ${displayName(category)} are out of stock.`;
    yield { code: 'CATEGORY_OUT_OF_STOCK', message };
  },
  /** Skips groups that could not be satisfied with everything in stock, which `checkGroupLimits` reports. */
  *modifierGroups(group, { parents }) {
    const { groupMin, groupMax, externalId } = group;
    if (groupMin <= 0 || groupMin > groupMax) return;
    let total = 0;
    let available = 0;
    for (const modifierItem of group.modifierItems) {
      const max = Math.max(0, modifierItem.maxQuantity);
      total += max;
      if (isInStock(modifierItem)) available += max;
    }
    if (total < groupMin || available >= groupMin) return;
    const blocked = pluralize(parents.modifierGroups.get(externalId) ?? 0, 'item');
    const needed = `at least ${pluralize(groupMin, 'selection')}, but its stock allows ${available}`;
    yield { code: 'GROUP_OUT_OF_STOCK', at: ['groupMin'], text: `asks for ${needed}, so ${blocked} cannot be ordered` };
  },
  *modifierItems(modifierItem) {
    const { item } = modifierItem;
    if (!isInStock(modifierItem)) {
      if (modifierItem.defaultQuantity <= 0) return;
      yield { code: 'DEFAULT_OUT_OF_STOCK', at: ['defaultQuantity'], text: 'is chosen by default but out of stock' };
    } else if (item && !isInStock(item)) {
      const text = `is in stock, but its item ${displayName(item)} is not`;
      yield { code: 'STOCK_MISMATCH', at: ['inStock'], text };
    }
  },
};
