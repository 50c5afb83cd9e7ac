import type { MenuDiagnosticCode, ModifierGroupInput, ModifierItemInput } from '../../generated/graph.ts';
import { isPause } from '../../scheduling/time-slice.ts';
import type { Findings, LinkedGroup, ValidationContext } from './context.ts';
import { displayName, pluralize } from './messages.ts';

interface Problem<Entity> {
  readonly code: MenuDiagnosticCode;
  readonly field: keyof Entity & string;
  /** The predicate of a sentence about the entity. */
  readonly text: string;
}

type GroupProblem = Problem<ModifierGroupInput>;
type ItemProblem = Problem<ModifierItemInput>;

/** Checks the selection limits of modifier groups against each other and against their modifier items. */
export function* checkModifierGroups({ modifierGroups }: ValidationContext): Findings {
  for (const [index, group] of modifierGroups.entries()) {
    if (isPause(index)) yield;
    for (const { code, field, text } of findGroupProblems(group)) {
      const message = `Modifier group ${displayName(group)} ${text}.`;
      yield { code, path: ['modifierGroups', index, field], message };
    }
  }
}

/** Checks the quantities of modifier items against each other. */
export function* checkModifierItems({ modifierItems }: ValidationContext): Findings {
  for (const [index, modifierItem] of modifierItems.entries()) {
    if (isPause(index)) yield;
    for (const { code, field, text } of findItemProblems(modifierItem)) {
      const message = `Modifier item ${displayName(modifierItem)} ${text}.`;
      yield { code, path: ['modifierItems', index, field], message };
    }
  }
}

function* findGroupProblems(group: LinkedGroup): Generator<GroupProblem> {
  const { groupMin, groupMax, chargeAfter } = group;
  if (groupMin < 0)
    yield { code: 'NEGATIVE_QUANTITY', field: 'groupMin', text: negative(groupMin, 'fewest selections') };
  if (groupMax < 0) yield { code: 'NEGATIVE_QUANTITY', field: 'groupMax', text: negative(groupMax, 'most selections') };
  if (chargeAfter < 0) {
    yield { code: 'NEGATIVE_QUANTITY', field: 'chargeAfter', text: negative(chargeAfter, 'number of free selections') };
  }
  yield* checkLimits(group);
  if (groupMax < groupMin || group.modifierItems.length === 0) return;
  yield* checkSums(group);
  yield* checkCharges(group);
}

function* checkLimits({ groupMin, groupMax, modifierItems }: LinkedGroup): Generator<GroupProblem> {
  if (groupMax < groupMin) {
    const text = `asks for at least ${groupMin} and at most ${groupMax} selections, which is impossible`;
    yield { code: 'GROUP_MAX_BELOW_MIN', field: 'groupMax', text };
  }
  if (groupMax === 0 && modifierItems.length > 0) {
    const text = 'allows at most 0 selections, so guests can choose nothing from it';
    yield { code: 'GROUP_MAX_ZERO', field: 'groupMax', text };
  }
  if (modifierItems.length > 0) return;
  if (groupMin > 0) {
    const text = `asks for at least ${selections(groupMin)} but has no modifier items`;
    yield { code: 'GROUP_MIN_UNREACHABLE', field: 'groupMin', text };
  } else {
    yield { code: 'EMPTY_GROUP', field: 'modifierItemExternalIds', text: 'has no modifier items' };
  }
}

/**
 * Reports the first contradiction between a group's limits and the sums of its modifier items, since it causes the others.
 * Modifier items out of stock count, since stock changes. A group without defaults is valid: the guest chooses.
 */
function* checkSums({ groupMin, groupMax, modifierItems }: LinkedGroup): Generator<GroupProblem> {
  const max = sum(modifierItems.map(({ maxQuantity }) => maxQuantity));
  const min = sum(modifierItems.map(({ minQuantity }) => minQuantity));
  const defaults = sum(modifierItems.map(({ defaultQuantity }) => defaultQuantity));
  if (max < groupMin) {
    const text = `asks for at least ${selections(groupMin)}, but its modifier items allow at most ${max}`;
    yield { code: 'GROUP_MIN_UNREACHABLE', field: 'groupMin', text };
  } else if (min > groupMax) {
    const text = `allows at most ${selections(groupMax)}, but its modifier items ask for ${min} together`;
    yield { code: 'MINIMUMS_ABOVE_GROUP_MAX', field: 'groupMax', text };
  } else if (defaults > groupMax) {
    const text = `allows at most ${selections(groupMax)}, but has ${defaults} by default`;
    yield { code: 'DEFAULTS_ABOVE_GROUP_MAX', field: 'groupMax', text };
  } else if (defaults > 0 && defaults < groupMin) {
    const text = `asks for at least ${selections(groupMin)}, but has only ${defaults} by default`;
    yield { code: 'DEFAULTS_BELOW_GROUP_MIN', field: 'groupMin', text };
  }
}

function* checkCharges({ groupMax, chargeAfter, modifierItems }: LinkedGroup): Generator<GroupProblem> {
  if (groupMax <= 0) return;
  if (chargeAfter > groupMax) {
    const text = `charges after ${pluralize(chargeAfter, 'free selection')}, but allows at most ${groupMax}`;
    yield { code: 'CHARGE_AFTER_ABOVE_MAX', field: 'chargeAfter', text };
  } else if (chargeAfter === groupMax && modifierItems.some(({ priceChange }) => priceChange > 0)) {
    const text = `gives ${selections(groupMax)} free and allows no more, so its prices are never charged`;
    yield { code: 'PRICES_NEVER_CHARGED', field: 'chargeAfter', text };
  }
}

function* findItemProblems(modifierItem: ModifierItemInput): Generator<ItemProblem> {
  const { minQuantity: min, maxQuantity: max, defaultQuantity } = modifierItem;
  if (min < 0) yield { code: 'NEGATIVE_QUANTITY', field: 'minQuantity', text: negative(min, 'smallest quantity') };
  if (max < 0) yield { code: 'NEGATIVE_QUANTITY', field: 'maxQuantity', text: negative(max, 'largest quantity') };
  if (defaultQuantity < 0) {
    const text = negative(defaultQuantity, 'default quantity');
    yield { code: 'NEGATIVE_QUANTITY', field: 'defaultQuantity', text };
  }
  if (max < min) {
    const text = `is to be taken at least ${min} and at most ${max} times, which is impossible`;
    yield { code: 'MODIFIER_MAX_BELOW_MIN', field: 'maxQuantity', text };
    return;
  }
  if (max === 0) {
    const text = 'can be taken at most 0 times, so guests can never choose it';
    yield { code: 'MODIFIER_MAX_ZERO', field: 'maxQuantity', text };
  }
  if (defaultQuantity < min || defaultQuantity > max) {
    const text = `is taken ${defaultQuantity} times by default, not ${min} to ${max} times`;
    yield { code: 'DEFAULT_OUT_OF_RANGE', field: 'defaultQuantity', text };
  }
}

function negative(value: number, noun: string): string {
  return `has ${value} as its ${noun}; a negative does not mean "no limit"`;
}

function selections(count: number): string {
  return pluralize(count, 'selection');
}

/** Treats negative quantities, which are reported separately, as 0. */
function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + Math.max(0, quantity), 0);
}
