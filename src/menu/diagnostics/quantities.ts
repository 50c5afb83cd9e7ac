import type { DiagnosedModifierItem, Finding, Path, Subject } from './subject.ts';
import { called } from './wording.ts';

const words = {
  groupMin: 'fewest selections',
  groupMax: 'most selections',
  chargeAfter: 'number of free selections',
  minQuantity: 'smallest quantity',
  maxQuantity: 'largest quantity',
  defaultQuantity: 'default quantity',
} as const;

const groupFields = ['groupMin', 'groupMax', 'chargeAfter'] as const;
const modifierItemFields = ['minQuantity', 'maxQuantity', 'defaultQuantity'] as const;

/** Each number of selections by itself, and the three of a modifier item against each other. */
export function* checkQuantities({ modifierGroups, modifierItems }: Subject): Generator<Finding> {
  for (const [at, group] of modifierGroups.entries()) {
    for (const field of groupFields) {
      const path = ['modifierGroups', at, field] as const;
      if (group[field] < 0)
        yield negative(path, `Modifier group ${called(group)} has ${group[field]} as its ${words[field]}`);
    }
  }
  for (const [at, item] of modifierItems.entries()) {
    for (const field of modifierItemFields) {
      const path = ['modifierItems', at, field] as const;
      if (item[field] < 0)
        yield negative(path, `Modifier item ${called(item)} has ${item[field]} as its ${words[field]}`);
    }
    yield* checkRange(item, ['modifierItems', at]);
  }
}

function negative(path: Path, statement: string): Finding {
  return { code: 'NEGATIVE_QUANTITY', path, message: `${statement}; a negative does not mean "no limit".` };
}

function* checkRange(item: DiagnosedModifierItem, path: Path): Generator<Finding> {
  const { minQuantity: min, maxQuantity: max, defaultQuantity: byDefault } = item;
  if (max < min) {
    const limits = `at least ${min} and at most ${max} times`;
    const message = `Modifier item ${called(item)} is to be taken ${limits}, which is impossible.`;
    yield { code: 'MODIFIER_MAX_BELOW_MIN', path: [...path, 'maxQuantity'], message };
    return;
  }
  if (max === 0) {
    const message = `Modifier item ${called(item)} can be taken at most 0 times, so guests can never choose it.`;
    yield { code: 'MODIFIER_MAX_ZERO', path: [...path, 'maxQuantity'], message };
  }
  if (byDefault < min || byDefault > max) {
    const message = `Modifier item ${called(item)} is taken ${byDefault} times by default, not ${min} to ${max} times.`;
    yield { code: 'DEFAULT_OUT_OF_RANGE', path: [...path, 'defaultQuantity'], message };
  }
}
