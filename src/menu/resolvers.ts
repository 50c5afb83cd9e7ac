import { runInSlices, type TimeSlice } from '@carte/base/time-slice';
import { propertyResolver } from '@carte/operations/execution/resolve';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Resolvers } from '../generated/graph.ts';
import type { HistoryLimits, MenuLimits } from '../limits.ts';
import { type NodeType, nodeIdOf } from '../node-id.ts';
import type { CostBudget } from '../scheduling/cost-budget.ts';
import type { AccessScope } from '../scope.ts';
import { currencyOf, type Money } from '../store/currency.ts';
import type { Store } from '../store/entities.ts';
import type { storeLoaders } from '../store/loaders.ts';
import { filterAvailable, nextAvailableAt, toLocalTime } from './availability.ts';
import { backlinksOf, type Configuration, knownTo } from './configuration.ts';
import { configurationFields } from './configuration-fields.ts';
import { changePrices, setStock } from './field-changes.ts';
import type { menuLoaders } from './loaders.ts';
import { type ChangedMenu, type ChangeOptions, replaceMenuConfiguration, type Written } from './replace.ts';
import type { SoldOutRow } from './repository.ts';
import { searchItems, searchResolvers } from './search-items.ts';
import { setSpecialHours } from './special-hours.ts';
import { pickTranslation } from './translations.ts';

/** What these resolvers take from the context of a request. */
interface MenuContext {
  readonly loaders: {
    readonly stores: ReturnType<typeof storeLoaders>;
    readonly menus: ReturnType<typeof menuLoaders>;
  };
  readonly slice: TimeSlice;
  readonly budget: CostBudget;
}

interface ChangeContext extends MenuContext {
  readonly forkEntityManager: () => EntityManager;
  readonly scope: AccessScope | undefined;
  readonly menuLimits: MenuLimits;
  readonly historyLimits: HistoryLimits;
}

const loadConfiguration = (store: Store, { loaders }: MenuContext) => loaders.menus.byStore.load(store);

/** Resolves a field of a store from its current configuration. */
const ofCurrent =
  <Args, Result>(read: (configuration: Configuration, args: Args) => Result | Promise<Result>) =>
  async (store: Store, args: Args, context: MenuContext): Promise<Result> =>
    read(await loadConfiguration(store, context), args);

/** Loads the store of a configuration; it exists, because the configuration was loaded through it. */
export async function loadStoreOf({ storeId }: Configuration, { loaders }: MenuContext): Promise<Store> {
  const store = await loaders.stores.byId.load(storeId);
  if (!store) throw new Error(`Store ${storeId} is gone`);
  return store;
}

const loadStore = ({ configuration }: { readonly configuration: Configuration }, _args: object, context: MenuContext) =>
  loadStoreOf(configuration, context);

/** Resolves an amount of a menu entity with the currency of its store; that is loaded only if the request has dropped its loaders since. */
const moneyOf =
  <Field extends string>(field: Field) =>
  (
    entity: Readonly<Record<Field, number>> & { readonly configuration: Configuration },
    _args: object,
    context: MenuContext,
  ): Money | Promise<Money> => {
    const amount = entity[field];
    const currency = context.loaders.menus.currencyOf(entity.configuration);
    if (currency !== undefined) return { amount, currency };
    return loadStore(entity, {}, context).then(store => ({ amount, currency: currencyOf(store) }));
  };

/** Resolves the id of a menu entity: its number, which is unique within its kind, after the name of its kind. One of the past has its revision, too. */
const idWith =
  (prefix: string) =>
  ({ numericId, configuration }: { readonly numericId: number; readonly configuration: Configuration }) =>
    configuration.isPast ? `${prefix}_${numericId}_at_${configuration.revision}` : `${prefix}_${numericId}`;

/** Resolves the `nodeId` of a menu entity; one of the past names its revision and store. */
const nodeIdWith =
  (type: NodeType) =>
  ({ numericId, configuration }: { readonly numericId: number; readonly configuration: Configuration }) => {
    const { isPast, revision, storeId } = configuration;
    return nodeIdOf(type, isPast ? `${numericId}:${revision}:${storeId}` : numericId);
  };

const linkSoldOut = (soldOut: readonly SoldOutRow[], { items, modifierItems }: Configuration) =>
  soldOut.map(({ until, subject, externalId }) => ({
    until,
    item: (subject === 'items' && items.get(externalId)) || null,
    modifierItem: (subject === 'modifierItems' && modifierItems.get(externalId)) || null,
  }));

/** Changes the menu of a store; null if there is none in scope. */
export async function changeMenuOf(
  storeId: string,
  { loaders, forkEntityManager, scope, menuLimits: limits, historyLimits: history }: ChangeContext,
  change: (em: EntityManager, store: Store, options: ChangeOptions) => Promise<Written | null>,
): Promise<ChangedMenu | null> {
  const store = await loaders.stores.byId.load(storeId);
  const written = store && (await change(forkEntityManager(), store, { keyName: scope?.keyName, limits, history }));
  if (!written) return null;
  loaders.menus.byStore.update(store, written);
  return { store, revision: written.revision };
}

const revisionOf = ({ store }: ChangedMenu, _args: object, { loaders }: MenuContext) => loaders.menus.revisionOf(store);

export const menuResolvers = {
  Mutation: {
    replaceMenuConfiguration: async (_root, { input: { storeId, expectedMenuRevision, ...input } }, context) => {
      const startedAt = performance.now();
      const source = context.transport === 'REST' ? 'POST' : 'MUTATION';
      const replaced = await changeMenuOf(storeId, context, (em, store, options) =>
        replaceMenuConfiguration(em, store, { input, expectedMenuRevision, ...options, source }),
      );
      context.onReplaced((performance.now() - startedAt) / 1000);
      return replaced;
    },
    setStock: (_root, { input: { storeId, ...changes } }, context) =>
      changeMenuOf(storeId, context, (em, store, options) => setStock(em, store, { ...changes, ...options })),
    changePrices: (_root, { input: { storeId, ...changes } }, context) =>
      changeMenuOf(storeId, context, (em, store, options) => changePrices(em, store, { ...changes, ...options })),
    setSpecialHours: async (_root, { input: { storeId, hours } }, { loaders, forkEntityManager }) => {
      const found = await loaders.stores.byId.load(storeId);
      if (!found || !(await setSpecialHours(forkEntityManager(), found, hours))) return null;
      loaders.clear();
      const store = await loaders.stores.byId.load(storeId);
      return store && { store };
    },
  },
  Store: {
    menuRevision: (store, _args, { loaders }) => loaders.menus.revisionOf(store),
    menuLanguages: ofCurrent(configurationFields.languages),
    menus: async (store, { availableAt }, context) => {
      const menus = configurationFields.menus(await loadConfiguration(store, context));
      if (!availableAt) return menus;
      const local = toLocalTime(availableAt, store.timezone, store.specialHours);
      return runInSlices(filterAvailable(menus, local), context.slice);
    },
    specialHours: ({ specialHours }) => specialHours ?? [],
    temporarilySoldOut: async (store, _args, context) => {
      const soldOut = await context.loaders.menus.soldOutOf(store);
      return soldOut.length > 0 ? linkSoldOut(soldOut, await loadConfiguration(store, context)) : [];
    },
    categories: ofCurrent(configurationFields.categories),
    items: ofCurrent(configurationFields.items),
    modifierGroups: ofCurrent(configurationFields.modifierGroups),
    modifierItems: ofCurrent(configurationFields.modifierItems),
    menu: ofCurrent(configurationFields.menu),
    category: ofCurrent(configurationFields.category),
    item: async (store, args, context) =>
      configurationFields.item(knownTo(context.scope, await loadConfiguration(store, context)), args),
    searchItems: async (store, args, context) => searchItems(await loadConfiguration(store, context), args, context),
    modifierGroup: ofCurrent(configurationFields.modifierGroup),
    modifierItem: ofCurrent(configurationFields.modifierItem),
    menuDiagnostics: ofCurrent(configurationFields.diagnostics),
  },
  MenuItemConnection: searchResolvers,
  SetStockPayload: { revision: revisionOf },
  ChangePricesPayload: { revision: revisionOf },
  MultilingualText: {
    text: ({ translations }, { languages }) => pickTranslation(translations, languages),
  },
  Menu: {
    nodeId: nodeIdWith('Menu'),
    id: idWith('menu'),
    nextAvailableAt: async (menu, { from }, context) =>
      runInSlices(nextAvailableAt(menu.availability, from, await loadStore(menu, {}, context)), context.slice, 1),
    store: loadStore,
  },
  Category: {
    nodeId: nodeIdWith('Category'),
    id: idWith('category'),
    menus: category => backlinksOf(category.configuration).menusByCategory.get(category.externalId) ?? [],
    store: loadStore,
  },
  MenuItem: {
    nodeId: nodeIdWith('MenuItem'),
    id: idWith('item'),
    price: moneyOf('price'),
    priceMinorUnits: propertyResolver('price'),
    tax: moneyOf('tax'),
    taxMinorUnits: propertyResolver('tax'),
    categories: item => backlinksOf(item.configuration).categoriesByItem.get(item.externalId) ?? [],
    usedAsModifierItems: item => backlinksOf(item.configuration).modifierItemsByItem.get(item.externalId) ?? [],
    store: loadStore,
  },
  ModifierGroup: {
    nodeId: nodeIdWith('ModifierGroup'),
    id: idWith('modifier_group'),
    usedByItems: group => backlinksOf(group.configuration).itemsByGroup.get(group.externalId) ?? [],
    store: loadStore,
  },
  ModifierItem: {
    nodeId: nodeIdWith('ModifierItem'),
    id: idWith('modifier_item'),
    priceChange: moneyOf('priceChange'),
    priceChangeMinorUnits: propertyResolver('priceChange'),
    taxChange: moneyOf('taxChange'),
    taxChangeMinorUnits: propertyResolver('taxChange'),
    modifierGroups: item => backlinksOf(item.configuration).groupsByModifierItem.get(item.externalId) ?? [],
    store: loadStore,
  },
} satisfies Resolvers;
