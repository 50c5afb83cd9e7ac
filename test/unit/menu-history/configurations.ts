import { runAtOnce } from '@carte/base/time-slice';
import { type Configuration, type ConfigurationRows, linkConfiguration } from '../../../src/menu/configuration.ts';
import { compareConfigurations, type MenuChanges } from '../../../src/menu/history/changes.ts';
import { type ConfigurationInput, menuKinds } from '../../../src/menu/kinds.ts';

/** The configuration that is stored for an input; its numeric ids are those of no row. */
export function configurationOf(input: ConfigurationInput): Configuration {
  const lists = menuKinds.map(({ name, defaults }) => {
    const rows = (input[name] ?? []).map((entity: object) => ({ ...defaults, ...entity, numericId: 0 }));
    return [name, rows];
  });
  return runAtOnce(linkConfiguration('store', 1, Object.fromEntries(lists) as ConfigurationRows));
}

export const compareAtOnce = (before: Configuration, after: Configuration): MenuChanges =>
  runAtOnce(compareConfigurations(before, after));
