import type { DiagnosticSeverity } from '../generated/graph.ts';
import { runInSlices } from '../scheduling/time-slice.ts';
import type { Configuration } from './configuration.ts';
import { diagnosticsOf } from './diagnostics/diagnose.ts';
import { languagesOf } from './languages.ts';

interface ByExternalId {
  readonly externalId: string;
}

/** The fields of a configuration in the graph: of the current one on `Store`, of any other on `MenuConfiguration`. */
export const configurationFields = {
  languages: (configuration: Configuration) => runInSlices(languagesOf(configuration)),
  menus: ({ menus }: Configuration) => [...menus.values()],
  categories: ({ categories }: Configuration) => [...categories.values()],
  items: ({ items }: Configuration) => [...items.values()],
  modifierGroups: ({ modifierGroups }: Configuration) => [...modifierGroups.values()],
  modifierItems: ({ modifierItems }: Configuration) => [...modifierItems.values()],
  menu: ({ menus }: Configuration, { externalId }: ByExternalId) => menus.get(externalId) ?? null,
  category: ({ categories }: Configuration, { externalId }: ByExternalId) => categories.get(externalId) ?? null,
  item: ({ items }: Configuration, { externalId }: ByExternalId) => items.get(externalId) ?? null,
  modifierGroup: ({ modifierGroups }: Configuration, { externalId }: ByExternalId) =>
    modifierGroups.get(externalId) ?? null,
  modifierItem: ({ modifierItems }: Configuration, { externalId }: ByExternalId) =>
    modifierItems.get(externalId) ?? null,
  diagnostics: async (
    configuration: Configuration,
    { severity }: { readonly severity?: readonly DiagnosticSeverity[] | null | undefined },
  ) => {
    const diagnostics = await diagnosticsOf(configuration);
    return severity ? diagnostics.filter(diagnostic => severity.includes(diagnostic.severity)) : diagnostics;
  },
};
