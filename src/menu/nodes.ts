import { InvalidInput } from '@carte/base/errors';
import { memoize } from '@carte/base/memoize';
import { type AccessScope, readPermissionsOf } from '../scope.ts';
import type { storeLoaders } from '../store/loaders.ts';
import { type Configuration, isListed, type NodesByKind } from './configuration.ts';
import type { RevisionRequest } from './history/configurations-at.ts';
import type { menuHistoryLoaders } from './history/loaders.ts';
import type { HistoryEntry } from './history/repository.ts';
import type { KindName } from './kinds.ts';
import type { menuLoaders } from './loaders.ts';

interface NodeContext {
  readonly scope: AccessScope | undefined;
  readonly loaders: {
    readonly stores: ReturnType<typeof storeLoaders>;
    readonly menus: ReturnType<typeof menuLoaders>;
    readonly menuHistory: ReturnType<typeof menuHistoryLoaders>;
    /** Of stores in scope, and charged. */
    readonly menusOfStores: { load(owner: { readonly store: string }): Promise<Configuration | null> };
  };
}

/**
 * Loads a menu entity by its number, or one of the past by its number, revision and store. Null where the key may not read it: guests find what
 * the menus list.
 */
export const loadMenuNode =
  <Kind extends KindName>(kind: Kind) =>
  async (id: string, context: NodeContext): Promise<NodesByKind[Kind] | null> => {
    const { loaders, scope } = context;
    const [number = '', revision, ...storeId] = id.split(':');
    if (!scope || !/^\d{1,15}$/.test(number) || !readPermissionsOf(scope).includes('READ_MENUS')) return null;
    if (revision !== undefined) return findPast(kind, Number(number), context, [storeId.join(':'), Number(revision)]);
    const place = await loaders.menus.placeOf(kind, Number(number));
    const configuration = place && (await loaders.menusOfStores.load({ store: place.storeId }));
    const node = configuration && nodesOf(configuration, kind).get(place.externalId);
    return node && (!scope.publishable || isListed[kind](node)) ? node : null;
  };

/** Loads a revision of the history, by its number and store. */
export async function loadRevisionNode(id: string, { loaders, scope }: NodeContext): Promise<HistoryEntry | null> {
  const [revision = '', ...storeId] = id.split(':');
  const request = { storeId: storeId.join(':'), revision: Number(revision) };
  return (await isPastReadable(request, loaders, scope)) ? loaders.menuHistory.entryAt(request) : null;
}

/** Whether the key reads the history of a store, and this may be one of its revisions. */
const isPastReadable = async (
  { storeId, revision }: RevisionRequest,
  { stores }: Pick<NodeContext['loaders'], 'stores'>,
  scope: AccessScope | undefined,
): Promise<boolean> =>
  scope !== undefined &&
  Number.isSafeInteger(revision) &&
  readPermissionsOf(scope).includes('READ_HISTORY') &&
  (await stores.byId.load(storeId)) !== null;

async function findPast<Kind extends KindName>(
  kind: Kind,
  number: number,
  { loaders, scope }: NodeContext,
  [storeId, revision]: readonly [string, number],
): Promise<NodesByKind[Kind] | null> {
  if (!(await isPastReadable({ storeId, revision }, loaders, scope))) return null;
  try {
    const configuration = await loaders.menuHistory.configurationAt({ storeId, revision });
    return (byNumber(nodesOf(configuration, kind)).get(number) as NodesByKind[Kind] | undefined) ?? null;
  } catch (error) {
    // The history does not have the revision, or no longer.
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

/** Once for all nodes of a request. */
const byNumber = memoize(
  (nodes: ReadonlyMap<string, NodesByKind[KindName]>) =>
    new Map([...nodes.values()].map(node => [node.numericId, node])),
);

const nodesOf = <Kind extends KindName>(configuration: Configuration, kind: Kind) =>
  configuration[kind] as ReadonlyMap<string, NodesByKind[Kind]>;
