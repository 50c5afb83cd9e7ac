import type { Resolvers, ResolversParentTypes } from '../generated/graph.ts';
import type { Context } from '../graphql/context.ts';
import { isAvailable, toLocalTime } from './availability.ts';
import { backlinksOf, type Configuration } from './configuration.ts';
import { diagnosticsOf } from './diagnostics/diagnose.ts';
import { languagesOf } from './languages.ts';
import { nextAvailableAt } from './next-availability.ts';
import { replaceMenuConfiguration } from './replace.ts';
import { setStock } from './stock.ts';
import { pickTranslation } from './translations.ts';

const loadConfiguration = (store: ResolversParentTypes['Store'], { loaders }: Context) =>
  loaders.menus.byStore.load(store);

/** Resolves the store of a menu entity; it exists, because the entity was loaded through it. */
const loadStore = async (
  { configuration }: { readonly configuration: Configuration },
  _args: object,
  context: Context,
) => {
  const store = await context.loaders.stores.byId.load(configuration.storeId);
  if (!store) throw new Error(`Store ${configuration.storeId} is gone`);
  return store;
};

/** Resolves the id of a menu entity: its number, which is unique within its kind, after the name of its kind. */
const idWith =
  (prefix: string) =>
  ({ numericId }: { readonly numericId: number }) =>
    `${prefix}_${numericId}`;

export const menuResolvers: Resolvers = {
  Mutation: {
    replaceMenuConfiguration: async (_root, { storeId, ...replacement }, context) => {
      const { loaders, menuLimits: limits, onReplaced } = context;
      const startedAt = performance.now();
      const store = await loaders.stores.byId.load(storeId);
      const configuration =
        store && (await replaceMenuConfiguration(context.forkEntityManager(), store, { ...replacement, limits }));
      onReplaced((performance.now() - startedAt) / 1000);
      if (!configuration) return null;
      loaders.menus.byStore.prime(store, configuration);
      return { store, revision: configuration.revision };
    },
    setStock: async (_root, { storeId, ...changes }, { loaders, menuLimits: limits, forkEntityManager }) => {
      const store = await loaders.stores.byId.load(storeId);
      const revision = store && (await setStock(forkEntityManager(), store, { ...changes, limits }));
      if (!store || revision === null) return null;
      loaders.menus.byStore.clear(store, revision);
      return { store };
    },
  },
  Store: {
    menuRevision: (store, _args, { loaders }) => loaders.menus.revisionOf(store),
    menuLanguages: async (store, _args, context) => languagesOf(await loadConfiguration(store, context)),
    menus: async (store, { availableAt }, context) => {
      const menus = [...(await loadConfiguration(store, context)).menus.values()];
      if (!availableAt) return menus;
      const local = toLocalTime(availableAt, store.timezone);
      return menus.filter(menu => isAvailable(menu.availability, local));
    },
    categories: async (store, _args, context) => [...(await loadConfiguration(store, context)).categories.values()],
    items: async (store, _args, context) => [...(await loadConfiguration(store, context)).items.values()],
    modifierGroups: async (store, _args, context) => [
      ...(await loadConfiguration(store, context)).modifierGroups.values(),
    ],
    modifierItems: async (store, _args, context) => [
      ...(await loadConfiguration(store, context)).modifierItems.values(),
    ],
    menu: async (store, { externalId }, context) =>
      (await loadConfiguration(store, context)).menus.get(externalId) ?? null,
    category: async (store, { externalId }, context) =>
      (await loadConfiguration(store, context)).categories.get(externalId) ?? null,
    item: async (store, { externalId }, context) =>
      (await loadConfiguration(store, context)).items.get(externalId) ?? null,
    modifierGroup: async (store, { externalId }, context) =>
      (await loadConfiguration(store, context)).modifierGroups.get(externalId) ?? null,
    modifierItem: async (store, { externalId }, context) =>
      (await loadConfiguration(store, context)).modifierItems.get(externalId) ?? null,
    menuDiagnostics: async (store, { severity }, context) => {
      const diagnostics = diagnosticsOf(await loadConfiguration(store, context));
      return severity ? diagnostics.filter(diagnostic => severity.includes(diagnostic.severity)) : diagnostics;
    },
  },
  ReplaceMenuConfigurationPayload: {
    diagnostics: async ({ store }, _args, context) => diagnosticsOf(await loadConfiguration(store, context)),
  },
  SetStockPayload: {
    revision: ({ store }, _args, { loaders }) => loaders.menus.revisionOf(store),
  },
  MultilingualText: {
    text: ({ translations }, { languages }) => pickTranslation(translations, languages),
  },
  Menu: {
    id: idWith('menu'),
    nextAvailableAt: async (menu, { after }, context) =>
      nextAvailableAt(menu.availability, after, (await loadStore(menu, {}, context)).timezone),
    store: loadStore,
  },
  Category: {
    id: idWith('category'),
    menus: category => backlinksOf(category.configuration).menusByCategory.get(category.externalId) ?? [],
    store: loadStore,
  },
  MenuItem: {
    id: idWith('item'),
    categories: item => backlinksOf(item.configuration).categoriesByItem.get(item.externalId) ?? [],
    modifierItems: item => backlinksOf(item.configuration).modifierItemsByItem.get(item.externalId) ?? [],
    store: loadStore,
  },
  ModifierGroup: {
    id: idWith('modifier_group'),
    items: group => backlinksOf(group.configuration).itemsByGroup.get(group.externalId) ?? [],
    store: loadStore,
  },
  ModifierItem: {
    id: idWith('modifier_item'),
    groups: item => backlinksOf(item.configuration).groupsByModifierItem.get(item.externalId) ?? [],
    store: loadStore,
  },
};
