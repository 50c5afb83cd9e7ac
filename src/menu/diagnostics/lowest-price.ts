import { memoize } from '@carte/base/memoize';
import type { MenuItemNode, ModifierGroupNode, ModifierItemNode } from '../configuration.ts';

/** Computes what an order of one unit costs at least by the rules of the groups, and the group that reduces it most. */
export function lowestPriceOf({ price, modifierGroups }: Pick<MenuItemNode, 'price' | 'modifierGroups'>) {
  let lowest: ModifierGroupNode | undefined;
  let total = price;
  for (const group of modifierGroups) {
    const change = lowestChangeOf(group);
    total += change;
    if (change < (lowest ? lowestChangeOf(lowest) : 0)) lowest = group;
  }
  return { price: total, group: lowest };
}

/**
 * The lowest sum of the charged price changes that a group allows. The guest takes the cheapest units, and chooses the dearest of them first,
 * which are free. With each further unit the sum changes by no less than with the one before, so the number of units that gives the lowest
 * sum is known beforehand: all reductions, and so many others that none of the reductions is free. Negative quantities count as 0.
 */
export const lowestChangeOf = memoize(
  ({ groupMin, groupMax, chargeAfter, modifierItems }: ModifierGroupNode): number => {
    const choices = modifierItems.map(toChoice).sort((one, other) => one.change - other.change);
    const required = sum(choices.map(({ min }) => min));
    const available = sum(choices.map(({ max }) => max));
    const fewest = Math.max(required, groupMin);
    const most = Math.min(available, groupMax);
    // Nothing can be ordered with such a group, which has a finding of its own.
    if (fewest > most) return 0;
    const free = Math.max(0, chargeAfter);
    const reductions = sum(choices.map(({ change, max }) => (change < 0 ? max : 0)));
    const requiredOthers = sum(choices.map(({ change, min }) => (change < 0 ? 0 : min)));
    const units = Math.min(Math.max(reductions + Math.max(free, requiredOthers), fewest), most);

    let optional = units - required;
    let charged = units - free;
    let lowest = 0;
    for (const { change, min, max } of choices) {
      const more = Math.min(max - min, optional);
      optional -= more;
      const ofThis = Math.min(min + more, charged);
      if (ofThis <= 0) continue;
      charged -= ofThis;
      lowest += ofThis * change;
    }
    return lowest;
  },
);

function toChoice({ priceChange: change, minQuantity, maxQuantity }: ModifierItemNode) {
  const min = Math.max(0, minQuantity);
  return { change, min, max: Math.max(min, maxQuantity) };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
