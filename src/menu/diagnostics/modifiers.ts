import type { ModifierGroupNode } from '../configuration.ts';
import type { EntityCheck, Problem, Problems } from './context.ts';
import { pluralize } from './messages.ts';

/** Checks the selection limits of a modifier group against each other and against its modifier items. */
export const checkGroupLimits: EntityCheck<'modifierGroups'> = function* (group) {
  const { groupMin, groupMax, chargeAfter, modifierItems } = group;
  yield* checkNegative('groupMin', groupMin, 'fewest selections');
  yield* checkNegative('groupMax', groupMax, 'most selections');
  yield* checkNegative('chargeAfter', chargeAfter, 'number of free selections');
  if (groupMax < groupMin) {
    const text = `asks for at least ${groupMin} and at most ${groupMax} selections, which is impossible`;
    yield { code: 'GROUP_MAX_BELOW_MIN', at: ['groupMax'], text };
  }
  if (modifierItems.length === 0) yield emptyGroup(groupMin);
  else if (groupMax === 0) {
    const text = 'allows at most 0 selections, so guests can choose nothing from it';
    yield { code: 'GROUP_MAX_ZERO', at: ['groupMax'], text };
  }
  if (groupMax < groupMin || modifierItems.length === 0) return;
  yield* checkSums(group);
  yield* checkCharges(group);
};

function* checkNegative(field: string, value: number, noun: string): Problems {
  const text = `has ${value} as its ${noun}; a negative does not mean "no limit"`;
  if (value < 0) yield { code: 'NEGATIVE_QUANTITY', at: [field], text };
}

function emptyGroup(groupMin: number): Problem {
  if (groupMin <= 0) return { code: 'EMPTY_GROUP', at: ['modifierItemExternalIds'], text: 'has no modifier items' };
  const text = `asks for at least ${selections(groupMin)} but has no modifier items`;
  return { code: 'GROUP_MIN_UNREACHABLE', at: ['groupMin'], text };
}

/**
 * Reports the first contradiction between a group's limits and the sums of its modifier items, since it causes the others.
 * Modifier items out of stock count, since stock changes. A group without defaults is valid: the guest chooses.
 */
function* checkSums({ groupMin, groupMax, modifierItems }: ModifierGroupNode): Problems {
  const max = sum(modifierItems.map(({ maxQuantity }) => maxQuantity));
  const min = sum(modifierItems.map(({ minQuantity }) => minQuantity));
  const defaults = sum(modifierItems.map(({ defaultQuantity }) => defaultQuantity));
  if (max < groupMin) {
    const text = `asks for at least ${selections(groupMin)}, but its modifier items allow at most ${max}`;
    yield { code: 'GROUP_MIN_UNREACHABLE', at: ['groupMin'], text };
  } else if (min > groupMax) {
    const text = `allows at most ${selections(groupMax)}, but its modifier items ask for ${min} together`;
    yield { code: 'MINIMUMS_ABOVE_GROUP_MAX', at: ['groupMax'], text };
  } else if (defaults > groupMax) {
    const text = `allows at most ${selections(groupMax)}, but has ${defaults} by default`;
    yield { code: 'DEFAULTS_ABOVE_GROUP_MAX', at: ['groupMax'], text };
  } else if (defaults > 0 && defaults < groupMin) {
    const text = `asks for at least ${selections(groupMin)}, but has only ${defaults} by default`;
    yield { code: 'DEFAULTS_BELOW_GROUP_MIN', at: ['groupMin'], text };
  }
}

function* checkCharges({ groupMax, chargeAfter, modifierItems }: ModifierGroupNode): Problems {
  if (groupMax <= 0) return;
  if (chargeAfter > groupMax) {
    const text = `charges after ${pluralize(chargeAfter, 'free selection')}, but allows at most ${groupMax}`;
    yield { code: 'CHARGE_AFTER_ABOVE_MAX', at: ['chargeAfter'], text };
  } else if (chargeAfter === groupMax && modifierItems.some(({ priceChange }) => priceChange > 0)) {
    const text = `gives ${selections(groupMax)} free and allows no more, so its prices are never charged`;
    yield { code: 'PRICES_NEVER_CHARGED', at: ['chargeAfter'], text };
  }
}

export const checkQuantities: EntityCheck<'modifierItems'> = function* (modifierItem) {
  const { minQuantity: min, maxQuantity: max, defaultQuantity } = modifierItem;
  yield* checkNegative('minQuantity', min, 'smallest quantity');
  yield* checkNegative('maxQuantity', max, 'largest quantity');
  yield* checkNegative('defaultQuantity', defaultQuantity, 'default quantity');
  if (max < min) {
    const text = `is to be taken at least ${min} and at most ${max} times, which is impossible`;
    yield { code: 'MODIFIER_MAX_BELOW_MIN', at: ['maxQuantity'], text };
    return;
  }
  if (max === 0) {
    const text = 'can be taken at most 0 times, so guests can never choose it';
    yield { code: 'MODIFIER_MAX_ZERO', at: ['maxQuantity'], text };
  }
  if (defaultQuantity < min || defaultQuantity > max) {
    const text = `is taken ${defaultQuantity} times by default, not ${min} to ${max} times`;
    yield { code: 'DEFAULT_OUT_OF_RANGE', at: ['defaultQuantity'], text };
  }
};

function selections(count: number): string {
  return pluralize(count, 'selection');
}

/** Treats negative quantities, which are reported separately, as 0. */
function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + Math.max(0, quantity), 0);
}
