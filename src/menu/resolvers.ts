import type { Resolvers, ResolversParentTypes } from '../generated/graph.ts';
import type { Context } from '../graphql/context.ts';
import { isOpen, localTime } from './availability.ts';
import { backlinksOf } from './backlinks.ts';
import type { Configuration } from './configuration.ts';
import { replaceMenuConfiguration } from './replace.ts';
import { pickText } from './text.ts';

const configurationOf = (store: ResolversParentTypes['Store'], { loaders }: Context) =>
  loaders.menus.byStore.load(store);

/** The store that an entity belongs to: present, because the entity was loaded through it. */
const storeOf = async (
  { configuration }: { readonly configuration: Configuration },
  _args: object,
  context: Context,
) => {
  const store = await context.loaders.stores.byId.load(configuration.storeId);
  if (!store) throw new Error(`Store ${configuration.storeId} is gone`);
  return store;
};

export const menuResolvers: Resolvers = {
  Mutation: {
    replaceMenuConfiguration: async (_root, { storeId, ...replacement }, context) => {
      const { loaders, menuLimits: limits, onReplaced } = context;
      const begun = performance.now();
      const store = await loaders.stores.byId.load(storeId);
      const configuration =
        store && (await replaceMenuConfiguration(context.forkEntityManager(), store, { ...replacement, limits }));
      onReplaced((performance.now() - begun) / 1000);
      if (!configuration) return null;
      loaders.menus.byStore.prime(store, configuration);
      return { store, revision: configuration.revision };
    },
  },
  Store: {
    menuRevision: (store, _args, { loaders }) => loaders.menus.revisionOf(store),
    menus: async (store, { availableAt }, context) => {
      const menus = [...(await configurationOf(store, context)).menus.values()];
      if (!availableAt) return menus;
      const local = localTime(availableAt, store.timezone);
      return menus.filter(menu => isOpen(menu.availability, local));
    },
    categories: async (store, _args, context) => [...(await configurationOf(store, context)).categories.values()],
    items: async (store, _args, context) => [...(await configurationOf(store, context)).items.values()],
    modifierGroups: async (store, _args, context) => [
      ...(await configurationOf(store, context)).modifierGroups.values(),
    ],
    modifierItems: async (store, _args, context) => [...(await configurationOf(store, context)).modifierItems.values()],
    menu: async (store, { externalId }, context) =>
      (await configurationOf(store, context)).menus.get(externalId) ?? null,
    category: async (store, { externalId }, context) =>
      (await configurationOf(store, context)).categories.get(externalId) ?? null,
    item: async (store, { externalId }, context) =>
      (await configurationOf(store, context)).items.get(externalId) ?? null,
    modifierGroup: async (store, { externalId }, context) =>
      (await configurationOf(store, context)).modifierGroups.get(externalId) ?? null,
    modifierItem: async (store, { externalId }, context) =>
      (await configurationOf(store, context)).modifierItems.get(externalId) ?? null,
  },
  MultilingualText: {
    text: ({ translations }, { languages }) => pickText(translations, languages),
  },
  Menu: { store: storeOf },
  Category: {
    menus: category => backlinksOf(category.configuration).menusOf.get(category.externalId) ?? [],
    store: storeOf,
  },
  MenuItem: {
    categories: item => backlinksOf(item.configuration).categoriesOf.get(item.externalId) ?? [],
    modifierItems: item => backlinksOf(item.configuration).modifierItemsFor.get(item.externalId) ?? [],
    store: storeOf,
  },
  ModifierGroup: {
    items: group => backlinksOf(group.configuration).itemsOf.get(group.externalId) ?? [],
    store: storeOf,
  },
  ModifierItem: {
    groups: item => backlinksOf(item.configuration).groupsOf.get(item.externalId) ?? [],
    store: storeOf,
  },
};
