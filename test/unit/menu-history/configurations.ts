import type { MenuConfigurationInput } from '../../../src/generated/graph.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration } from '../../../src/menu/configuration.ts';
import { menuKinds } from '../../../src/menu/kinds.ts';

/** The configuration that is stored for an input; its numeric ids are those of no row. */
export function configurationOf(input: MenuConfigurationInput): Configuration {
  const lists = menuKinds.map(({ name, defaults }) => {
    const rows = (input[name] ?? []).map((entity: object) => ({ ...defaults, ...entity, numericId: 0 }));
    return [name, rows];
  });
  return linkConfiguration('store', 1, Object.fromEntries(lists) as ConfigurationRows);
}
