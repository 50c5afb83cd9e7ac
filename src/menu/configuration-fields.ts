import type { DiagnosticSeverity } from '../generated/graph.ts';
import { runInSlices, type Steps } from '../scheduling/time-slice.ts';
import type { Configuration } from './configuration.ts';
import { diagnosticsOf } from './diagnostics/diagnose.ts';

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

/** Returns the language keys of a configuration's texts, most frequent first. */
function* languagesOf({ menus, categories, items, modifierGroups, modifierItems }: Configuration): Steps<string[]> {
  const counts = new Map<string, number>();
  for (const nodes of [menus, categories, items, modifierGroups, modifierItems]) {
    for (const node of nodes.values()) {
      const texts = 'description' in node ? [node.name, node.description] : [node.name];
      for (const key of texts.flatMap(text => Object.keys(text?.translations ?? {}))) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      yield;
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
