import { InvalidInput } from '@carte/base/errors';
import { runInSlices } from '@carte/base/time-slice';
import type { Resolvers, StoreMenuChangesArgs } from '../../generated/graph.ts';
import { checkListArguments } from '../../lists/entity-list.ts';
import { connectionResolvers, cursorAt, pageInfoOf } from '../../lists/paging.ts';
import { nodeIdOf } from '../../node-id.ts';
import type { AccessScope } from '../../scope.ts';
import { currencyOf } from '../../store/currency.ts';
import type { Store } from '../../store/entities.ts';
import type { Configuration } from '../configuration.ts';
import { configurationFields } from '../configuration-fields.ts';
import { entityKinds, type KindName } from '../kinds.ts';
import type { menuLoaders } from '../loaders.ts';
import { changeMenuOf, loadStoreOf } from '../resolvers.ts';
import { restoreMenuConfiguration } from '../restore.ts';
import {
  compareConfigurations,
  countChanges,
  type EntityChange,
  type MenuChanges,
  summarizeChanges,
} from './changes.ts';
import { createDescriber, type Describer } from './describe.ts';
import type { menuHistoryLoaders } from './loaders.ts';
import { type HistoryEntry, summarize } from './repository.ts';

/** The parent value of `MenuChanges`. */
export interface Comparison {
  readonly from: number;
  readonly to: number;
  readonly changes: MenuChanges;
  /** The indexes of the first entity of the page, and of the one after the last. */
  readonly start: number;
  readonly end: number;
  readonly describer: Describer;
}

/** The parent value of `MenuEntityChange`. */
export interface DescribedEntityChange extends EntityChange {
  readonly describer: Describer;
}

/** Names of keys tell who works for a merchant; they are for those who may change menus themselves, or manage keys. */
const mayReadKeyNames = ({ permissions }: AccessScope) => permissions.includes('MENU') || permissions.includes('ADMIN');

const kindOf = ({ kind }: { readonly kind: KindName }) => entityKinds[kind];

export const menuHistoryResolvers = {
  Mutation: {
    restoreMenuConfiguration: (_root, { input: { storeId, ...restoration } }, context) =>
      changeMenuOf(storeId, context, (em, store, options) =>
        restoreMenuConfiguration(em, store, { ...restoration, ...options }),
      ),
  },
  Store: {
    menuHistory: (store, args, { loaders }) => {
      loaders.menus.rememberCurrency(store);
      return loaders.menuHistory.list(store, args);
    },
    menuConfigurationAt: (store, { revision }, { loaders }) => {
      loaders.menus.rememberCurrency(store);
      return loaders.menuHistory.configurationAt({ storeId: store.id, revision });
    },
    menuChanges: (store, args, context) => compareRevisions(store, args, context),
  },
  MenuHistoryConnection: connectionResolvers<HistoryEntry>('revision'),
  MenuRevision: {
    nodeId: ({ storeId, revision }) => nodeIdOf('MenuRevision', `${revision}:${storeId}`),
    id: ({ storeId, revision }) => `menu_revision_${revision}_${storeId}`,
    keyName: ({ keyName }, _args, { scope }) => (scope && mayReadKeyNames(scope) ? keyName : null),
    summary: summarize,
    menuChanges: async ({ storeId, previousRevision: from, revision: to }, page, context) => {
      const store = from === null ? null : await context.loaders.stores.byId.load(storeId);
      return store && from !== null ? compareRevisions(store, { from, to, ...page }, context) : null;
    },
    configuration: (entry, _args, { loaders }) => loaders.menuHistory.configurationAt(entry),
  },
  MenuChangeCount: { kind: kindOf },
  MenuChanges: {
    entities: ({ changes, start, end, describer }) =>
      changes.entities.slice(start, end).map(entity => ({ ...entity, describer })),
    totalCount: ({ changes }) => changes.entities.length,
    pageInfo: ({ changes, start, end }) =>
      pageInfoOf('change', {
        nodes: changes.entities.slice(start, end).map((_entity, index) => cursorAt(start + index)),
        hasPreviousPage: start > 0,
        hasNextPage: end < changes.entities.length,
      }),
    summary: ({ changes }) => summarizeChanges(changes),
    counts: ({ changes }) => countChanges(changes),
    reordered: ({ changes }) => changes.reordered.map(kind => entityKinds[kind]),
  },
  MenuEntityChange: {
    kind: kindOf,
    fields: ({ kind, fields, describer }) =>
      fields.map(change => {
        const { label, before: beforeText, after: afterText } = describer.describeField(kind, change);
        return { ...change, label, beforeText, afterText };
      }),
    summary: ({ describer, ...change }) => describer.summarize(change),
  },
  MenuEntityReference: { kind: kindOf },
  MenuConfiguration: {
    store: (configuration, _args, context) => loadStoreOf(configuration, context),
    ...configurationFields,
  },
} satisfies Resolvers;

/** What a comparison takes from the context of a request. */
interface HistoryContext {
  readonly loaders: {
    readonly menus: ReturnType<typeof menuLoaders>;
    readonly menuHistory: ReturnType<typeof menuHistoryLoaders>;
  };
}

/** Without `to`, compares with the current revision. */
async function compareRevisions(
  store: Store,
  { from, to, ...args }: StoreMenuChangesArgs,
  { loaders }: HistoryContext,
): Promise<Comparison> {
  const { size, after: cursor } = checkListArguments('change', args);
  const start = cursor ? Number(cursor.id) + 1 : 0;
  await loaders.menuHistory.chargeComparison(store, to == null ? [from] : [from, to]);
  const at = (argument: string, revision: number) =>
    naming(argument, loaders.menuHistory.configurationAt({ storeId: store.id, revision }));
  const [before, after] = await Promise.all([
    at('from', from),
    to == null ? loaders.menus.byStore.load(store) : at('to', to),
  ]);
  const describer = createDescriber({ before, after, currency: currencyOf(store) });
  const changes = await runInSlices(compareConfigurations(before, after));
  return { from, to: after.revision, changes, start, end: start + size, describer };
}

/** Reports an unknown revision at the argument that has it. */
async function naming(argument: string, configuration: Promise<Configuration>): Promise<Configuration> {
  try {
    return await configuration;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.errors.map(each => ({ ...each, path: [argument] })));
  }
}
