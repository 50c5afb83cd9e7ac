import { type Fault, InvalidInput } from '../errors.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import type { MenuLimits } from './limits.ts';
import { checkIdentifiers, checkReferences } from './references.ts';
import { checkSize } from './size.ts';
import { checkTexts } from './texts.ts';

/** A configuration with every list present. */
export interface PostedConfiguration {
  readonly menus: NonNullable<MenuConfigurationInput['menus']>;
  readonly categories: NonNullable<MenuConfigurationInput['categories']>;
  readonly items: MenuConfigurationInput['items'];
  readonly modifierGroups: NonNullable<MenuConfigurationInput['modifierGroups']>;
  readonly modifierItems: NonNullable<MenuConfigurationInput['modifierItems']>;
}

/** Enough to mend a menu by; a body that is wrong throughout is not answered with its own size in faults. */
const mostFaults = 1000;

/** Refuses a configuration with every fault in it, each at its place below the argument `input`. */
export function checkConfiguration(input: MenuConfigurationInput, limits: MenuLimits): PostedConfiguration {
  const configuration: PostedConfiguration = {
    menus: input.menus ?? [],
    categories: input.categories ?? [],
    items: input.items,
    modifierGroups: input.modifierGroups ?? [],
    modifierItems: input.modifierItems ?? [],
  };
  const faults: Fault[] = [];
  for (const check of [checkTexts, checkIdentifiers, checkReferences]) {
    for (const fault of check(configuration)) {
      faults.push({ ...fault, path: ['input', ...fault.path] });
      if (faults.length === mostFaults) throw new InvalidInput(faults);
    }
  }
  // The size of a tree can only be told once its references hold.
  if (faults.length === 0) {
    for (const fault of checkSize(configuration, limits)) faults.push({ ...fault, path: ['input', ...fault.path] });
  }
  if (faults.length > 0) throw new InvalidInput(faults);
  return configuration;
}
