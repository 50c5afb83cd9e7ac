import { memoize } from '@carte/base/memoize';
import { runInSlices, type Steps } from '@carte/base/time-slice';
import type { StoreMenuArgs, StoreMenuDiagnosticsArgs } from '../generated/graph.ts';
import { menuTextLimits } from '../limits.ts';
import type { Configuration } from './configuration.ts';
import { diagnosticsOf } from './diagnostics/diagnose.ts';
import { keysOf } from './translations.ts';

/** The fields of a configuration in the graph: of the current one on `Store`, of any other on `MenuConfiguration`. */
export const configurationFields = {
  languages: memoize((configuration: Configuration) => runInSlices(languagesOf(configuration))),
  menus: ({ menus }: Configuration) => [...menus.values()],
  categories: ({ categories }: Configuration) => [...categories.values()],
  items: ({ items }: Configuration) => [...items.values()],
  modifierGroups: ({ modifierGroups }: Configuration) => [...modifierGroups.values()],
  modifierItems: ({ modifierItems }: Configuration) => [...modifierItems.values()],
  menu: ({ menus }: Configuration, { externalId }: StoreMenuArgs) => menus.get(externalId) ?? null,
  category: ({ categories }: Configuration, { externalId }: StoreMenuArgs) => categories.get(externalId) ?? null,
  item: ({ items }: Configuration, { externalId }: StoreMenuArgs) => items.get(externalId) ?? null,
  modifierGroup: ({ modifierGroups }: Configuration, { externalId }: StoreMenuArgs) =>
    modifierGroups.get(externalId) ?? null,
  modifierItem: ({ modifierItems }: Configuration, { externalId }: StoreMenuArgs) =>
    modifierItems.get(externalId) ?? null,
  diagnostics: async (configuration: Configuration, { severities }: StoreMenuDiagnosticsArgs) => {
    const diagnostics = await diagnosticsOf(configuration);
    if (!severities) return diagnostics;
    const selected = new Set(severities);
    return diagnostics.filter(diagnostic => selected.has(diagnostic.severity));
  },
};

/** Returns the language keys of a configuration's texts, most frequent first; no more than a configuration that is posted now may have. */
function* languagesOf({ menus, categories, items, modifierGroups, modifierItems }: Configuration): Steps<string[]> {
  const counts = new Map<string, number>();
  for (const nodes of [menus, categories, items, modifierGroups, modifierItems]) {
    for (const node of nodes.values()) {
      const texts = 'description' in node ? [node.name, node.description] : [node.name];
      for (const key of texts.flatMap(text => (text ? keysOf(text.translations) : []))) {
        const count = counts.get(key) ?? 0;
        if (count > 0 || counts.size < menuTextLimits.languages) counts.set(key, count + 1);
      }
      yield;
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
