import { memoizeByValue } from '@carte/base/memoize';
import DataLoader from 'dataloader';
import type { StoreMenuHistoryArgs } from '../../generated/graph.ts';
import type { Page, RelayConnection } from '../../lists/paging.ts';
import type { CostBudget } from '../../scheduling/cost-budget.ts';
import type { Store } from '../../store/entities.ts';
import type { Configuration } from '../configuration.ts';
import type { RevisionRequest } from './configurations-at.ts';
import {
  checkHistoryArguments,
  type HistoryEntry,
  type HistoryRequest,
  type MenuHistoryRepository,
} from './repository.ts';

export type MenuHistoryConnection = RelayConnection<HistoryEntry>;

/** Called with stores, or with what was loaded through them: only stores in the key's access scope can be loaded. */
export function menuHistoryLoaders(repository: MenuHistoryRepository, budget: CostBudget) {
  const charge = createHistoryCharge(repository.countEntities, budget);
  const configurations = new DataLoader<RevisionRequest, Configuration, string>(
    async keys => {
      const found = await repository.findConfigurationsAt(keys);
      return found.map((configuration, index) => configuration ?? new Error(`Store ${keys[index]?.storeId} is gone`));
    },
    { cacheKeyFn: keyOf },
  );
  const entries = new DataLoader<RevisionRequest, HistoryEntry | null, string>(repository.findEntries, {
    cacheKeyFn: keyOf,
  });
  // One statement per distinct page, and one per distinct list for its count, for all stores.
  const pagesOf = memoizeByValue(
    (page: HistoryRequest) =>
      new DataLoader<string, Page<HistoryEntry>>(storeIds => repository.findPages(storeIds, page)),
  );
  const countsOf = memoizeByValue(
    (sources: HistoryRequest['sources']) =>
      new DataLoader<string, number>(storeIds => repository.count(storeIds, sources)),
  );
  return {
    /** Newest first. */
    list({ id }: Store, args: StoreMenuHistoryArgs): MenuHistoryConnection {
      const page = checkHistoryArguments(id, args);
      return { page: () => pagesOf(page).load(id), totalCount: () => countsOf(page.sources).load(id) };
    },
    /** Null if the history does not have it. */
    entryAt: (request: RevisionRequest): Promise<HistoryEntry | null> => entries.load(request),
    async configurationAt({ storeId, revision }: RevisionRequest): Promise<Configuration> {
      await charge({ storeId, revisions: [revision], comparisons: 0 });
      return configurations.load({ storeId, revision });
    },
    /** Resolves if the request may compare these revisions of a store, the only one with its current one. */
    chargeComparison: ({ id: storeId }: Store, revisions: readonly number[]): Promise<void> =>
      charge({ storeId, revisions, comparisons: 1 }),
  };
}

const keyOf = ({ storeId, revision }: RevisionRequest) => `${revision} ${storeId}`;

/** What a field takes from the history of a store. */
interface HistoryUse {
  readonly storeId: string;
  readonly revisions: readonly number[];
  readonly comparisons: number;
}

/** Cost of an entity of the store, in units of some 0.5 µs of CPU (docs/limits.md#cost). */
const costPerEntity = {
  /** To read the current entities and the changes since, for all revisions of a store that are selected on one level. */
  read: 13,
  revision: 6,
  comparison: 20,
};

/**
 * Creates the function that charges a request for past configurations and comparisons by the real number of entities of their stores, before
 * anything else is read. Fields of one level are charged together, so that a request that selects too many reads none of them. The first one
 * is always allowed, if it is the only one of its level: no menu is too large to be looked at.
 */
function createHistoryCharge(countEntities: MenuHistoryRepository['countEntities'], budget: CostBudget) {
  const entities = new DataLoader<string, number>(countEntities);
  /** Revisions that are paid for, by store. */
  const paid = new Map<string, Set<number>>();

  async function costOf(storeId: string, uses: readonly HistoryUse[]): Promise<HistoryCost> {
    const count = await entities.load(storeId);
    const known = paid.get(storeId) ?? new Set();
    const revisions = new Set(uses.flatMap(use => use.revisions).filter(revision => !known.has(revision)));
    paid.set(storeId, new Set([...known, ...revisions]));
    const comparisons = uses.reduce((total, use) => total + use.comparisons, 0);
    const reads = revisions.size > 0 ? costPerEntity.read : 0;
    const perEntity = reads + revisions.size * costPerEntity.revision + comparisons * costPerEntity.comparison;
    return { cost: count * perEntity, revisions: revisions.size, comparisons, entities: count };
  }

  const charges = new DataLoader<HistoryUse, void>(
    async uses => {
      const isFirst = paid.size === 0 && uses.length === 1;
      const byStore = [...Map.groupBy(uses, use => use.storeId)];
      const costs = await Promise.all(byStore.map(([storeId, ofStore]) => costOf(storeId, ofStore)));
      const cost = sum(costs, 'cost');
      budget.charge(isFirst ? Math.min(cost, budget.rest) : cost, () => describe(costs));
      return uses.map(() => undefined);
    },
    { cache: false },
  );
  return (use: HistoryUse) => charges.load(use);
}

type HistoryCost = Readonly<Record<'cost' | 'revisions' | 'comparisons' | 'entities', number>>;

const sum = (costs: readonly HistoryCost[], key: keyof HistoryCost): number =>
  costs.reduce((total, cost) => total + cost[key], 0);

/** E.g. `20 past configurations and 10 comparisons of menus with 20,000 entities`. */
function describe(costs: readonly HistoryCost[]): string {
  const format = (count: number, noun: string) =>
    count === 0 ? [] : [`${count.toLocaleString('en-US')} ${count === 1 ? noun : `${noun}s`}`];
  const parts = [
    ...format(sum(costs, 'revisions'), 'past configuration'),
    ...format(sum(costs, 'comparisons'), 'comparison'),
  ];
  const size = sum(costs, 'entities').toLocaleString('en-US');
  return `${parts.join(' and ')} of ${costs.length === 1 ? 'a menu' : `${costs.length} menus`} with ${size} entities`;
}
