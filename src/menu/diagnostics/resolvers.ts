import type { MenuDiagnostic, Resolvers } from '../../generated/graph.ts';
import type { Configuration } from '../configuration.ts';
import { diagnose } from '../diagnostics.ts';
import { placeOf } from './place.ts';

const known = new WeakMap<Configuration, readonly MenuDiagnostic[]>();

/** A configuration never changes, so it is diagnosed once. */
function diagnosticsOf(configuration: Configuration): readonly MenuDiagnostic[] {
  let diagnostics = known.get(configuration);
  if (!diagnostics) {
    const lists = {
      menus: [...configuration.menus.values()],
      categories: [...configuration.categories.values()],
      items: [...configuration.items.values()],
      modifierGroups: [...configuration.modifierGroups.values()],
      modifierItems: [...configuration.modifierItems.values()],
    };
    diagnostics = diagnose(lists).map(({ path, ...diagnostic }) => ({
      ...diagnostic,
      path: path.map(String),
      place: placeOf(path),
      externalId: lists[path[0]][Number(path[1])]?.externalId ?? null,
    }));
    known.set(configuration, diagnostics);
  }
  return diagnostics;
}

export const diagnosticResolvers: Resolvers = {
  Store: {
    menuDiagnostics: async (store, { severity }, { loaders }) => {
      const diagnostics = diagnosticsOf(await loaders.menus.byStore.load(store));
      return severity ? diagnostics.filter(diagnostic => severity.includes(diagnostic.severity)) : diagnostics;
    },
  },
  ReplaceMenuConfigurationPayload: {
    diagnostics: async ({ store }, _args, { loaders }) => diagnosticsOf(await loaders.menus.byStore.load(store)),
  },
};
