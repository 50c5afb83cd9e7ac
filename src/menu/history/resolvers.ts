import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../lists/connection.ts';
import type { AccessScope } from '../../scope.ts';
import { configurationFields } from '../configuration-fields.ts';
import { loadStoreOf } from '../resolvers.ts';
import type { HistoryEntry } from './repository.ts';
import { restoreMenuConfiguration } from './restore.ts';
import { entityKinds, summarize } from './summary.ts';

/** Names of keys tell who works for a merchant; they are for those who may change menus themselves, or manage keys. */
const mayReadKeyNames = ({ permissions }: AccessScope) => permissions.includes('MENU') || permissions.includes('ADMIN');

export const menuHistoryResolvers: Resolvers = {
  Mutation: {
    restoreMenuConfiguration: async (_root, { storeId, ...restoration }, context) => {
      const { loaders, scope, menuLimits: limits, historyLimits: history } = context;
      const store = await loaders.stores.byId.load(storeId);
      const options = { ...restoration, keyName: scope?.keyName, limits, history };
      const configuration = store && (await restoreMenuConfiguration(context.forkEntityManager(), store, options));
      if (!configuration) return null;
      loaders.menus.byStore.prime(store, configuration);
      return { store, revision: configuration.revision };
    },
  },
  Store: {
    menuHistory: (store, args, { loaders }) => loaders.menuHistory.list(store, args),
    menuConfigurationAt: ({ id: storeId }, { revision }, { loaders }) =>
      loaders.menuHistory.configurationAt({ storeId, revision }),
  },
  MenuHistoryConnection: connectionResolvers<HistoryEntry>('revision'),
  MenuRevision: {
    id: ({ storeId, revision }) => `menu_revision_${revision}_${storeId}`,
    keyName: ({ keyName }, _args, { scope }) => (scope && mayReadKeyNames(scope) ? keyName : null),
    summary: summarize,
    changes: ({ counts }) => counts,
    configuration: (entry, _args, { loaders }) => loaders.menuHistory.configurationAt(entry),
  },
  MenuChangeCount: {
    kind: ({ kind }) => entityKinds[kind],
  },
  MenuConfiguration: {
    store: (configuration, _args, context) => loadStoreOf(configuration, context),
    ...configurationFields,
  },
};
