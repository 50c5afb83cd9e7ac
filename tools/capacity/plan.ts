import { LRUCache } from 'lru-cache';
import { type Random, seededRandom } from '../../src/demo/random.ts';
import { costs, databaseShare, habits, limits, sizes, writes } from './costs.ts';

export interface Plan {
  readonly stores: number;
  /** Requests per second in the busiest hour. */
  readonly rates: Readonly<Record<string, number>>;
  readonly cacheHits: number;
  readonly pollsNotModified: number;
  readonly cores: number;
  readonly databaseCores: number;
  readonly processes: number;
  readonly memoryBytes: number;
  readonly databaseBytes: number;
  /** Bytes of WAL in a second of the busiest hour. */
  readonly walBytes: number;
  readonly replicas: number;
  readonly breaksFirst: string;
}

const draws = 200_000;
const fraction = (random: Random) => random.between(0, 999_999_999) / 1e9;

/** Plans the capacity for the busiest hour. Two rounds: the number of processes determines the hit rate of each cache. */
export function planFor(stores: number, seed = 'carte'): Plan {
  const first = planWith(stores, 1, seed);
  return planWith(stores, first.processes, seed);
}

function planWith(stores: number, processes: number, seed: string): Plan {
  const random = seededRandom(`${seed} ${stores}`);
  const hour = (perDay: number) => (stores * perDay * habits.busiestHour) / 3600;
  const menuReads = hour(habits.menuReadsPerDay);
  const untagged = menuReads * (1 - habits.menuReadsWithTag);
  const posts = hour(habits.postsPerDay);
  const { hits, meanCost } = simulateCache(stores, posts / (untagged / processes), random);
  const pollsNotModified = simulatePolls(stores, random);
  const polls = (stores * habits.tillsPerStore) / habits.pollSeconds;
  const meanPost = habits.largeMenus * costs.largePost + (1 - habits.largeMenus) * costs.smallPost;
  const placed = hour(habits.ordersPerDay);
  const delivered = placed * habits.changesPerOrder * habits.webhooks;
  const reads: readonly (readonly [name: string, rate: number, cost: number])[] = [
    ['polls', polls, pollsNotModified * costs.notModified + (1 - pollsNotModified) * costs.orderList],
    ['menus, tag good', menuReads - untagged, costs.notModified],
    ['menus', untagged, meanCost],
    ['orders', hour(habits.ordersPerDay * habits.readsPerOrder), costs.order],
    ['stores', hour(habits.storeReadsPerDay), costs.store],
    ['graphql', hour(habits.ordersPerDay * habits.graphqlPerOrder), costs.graphql],
    ['posts', posts, meanPost],
  ];
  const parts = [
    ...reads.map(([name, rate, cost]) => {
      return { name, rate, server: cost * (1 - databaseShare), database: cost * databaseShare };
    }),
    { name: 'orders placed and served', rate: placed, ...writes.order },
    { name: 'deliveries to webhooks', rate: delivered, ...writes.delivery },
  ];
  const coresOf = (side: 'server' | 'database') =>
    parts.reduce((sum, part) => sum + (part.rate * part[side]) / 1000, 0) / limits.cpuUse;
  const databaseCores = coresOf('database');
  const cores = coresOf('server') + databaseCores;
  const needed = Math.max(1, Math.ceil(cores - databaseCores));
  const menuRows = habits.largeMenus * sizes.largeMenuRows + (1 - habits.largeMenus) * sizes.smallMenuRows;
  const orderRows = habits.ordersPerDay * 365 * limits.yearsOfOrders * sizes.order;
  const eventRows = habits.ordersPerDay * limits.daysOfEvents * sizes.orderEvents;
  const plan = {
    stores,
    rates: Object.fromEntries(parts.map(({ name, rate }) => [name, rate])),
    cacheHits: hits,
    pollsNotModified,
    cores,
    databaseCores,
    processes: needed,
    memoryBytes: needed * (sizes.process + sizes.cache),
    databaseBytes: stores * (menuRows + orderRows + eventRows),
    walBytes: placed * writes.order.wal + delivered * writes.delivery.wal,
    replicas: Math.max(0, Math.ceil(databaseCores / limits.databaseCores) - 1),
  };
  return { ...plan, breaksFirst: firstLimit(plan) };
}

/** Simulates one process' share of the reads that need a body against its cache; every POST, to any process, invalidates an entry. */
function simulateCache(stores: number, postsPerRead: number, random: Random) {
  const popular = cumulative(stores, habits.popularity);
  const isLarge = Array.from({ length: stores }, () => random.chance(habits.largeMenus));
  const revisions = new Map<number, number>();
  const kept = new LRUCache<number, { readonly revision: number; readonly size: number }>({
    maxSize: sizes.cache,
    sizeCalculation: ({ size }) => Math.ceil(size),
  });
  let [hits, cost, counted, owed] = [0, 0, 0, 0];
  for (let draw = 0; draw < draws; draw++) {
    for (owed += postsPerRead; owed >= 1; owed--) {
      const posted = random.between(0, stores - 1);
      revisions.set(posted, (revisions.get(posted) ?? 0) + 1);
    }
    const store = pick(popular, fraction(random));
    const revision = revisions.get(store) ?? 0;
    const large = isLarge[store] ?? false;
    const isHit = kept.get(store)?.revision === revision;
    if (!isHit) kept.set(store, { revision, size: (large ? sizes.largeTree : sizes.smallTree) * sizes.keptForms });
    // The first half only warms the cache.
    if (draw < draws / 2) continue;
    counted += 1;
    if (isHit) hits += 1;
    const made = large ? costs.largeTreeMade : costs.smallTreeMade;
    cost += (large ? costs.largeTree : costs.smallTree) + (isHit ? 0 : made);
  }
  return { hits: hits / counted, meanCost: cost / counted };
}

/** Simulates the share of polls that are 304: no order of the store has changed since the last poll. */
function simulatePolls(stores: number, random: Random): number {
  const popular = cumulative(stores, habits.popularity);
  const busiest = (stores * habits.ordersPerDay * habits.changesPerOrder * habits.busiestHour) / 3600;
  let same = 0;
  for (let draw = 0; draw < draws; draw++) {
    const store = random.between(0, stores - 1);
    const share = (popular[store] ?? 0) - (popular[store - 1] ?? 0);
    if (random.chance(Math.exp(-busiest * share * habits.pollSeconds))) same += 1;
  }
  return same / draws;
}

function cumulative(stores: number, power: number): Float64Array {
  const sums = new Float64Array(stores);
  let total = 0;
  for (let rank = 0; rank < stores; rank++) sums[rank] = total += 1 / (rank + 1) ** power;
  return sums.map(sum => sum / total);
}

function pick(sums: Float64Array, at: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 1) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstLimit(plan: Omit<Plan, 'breaksFirst'>): string {
  const used: readonly (readonly [what: string, share: number])[] = [
    ['the one process', plan.cores - plan.databaseCores],
    ['connections of the database', (plan.processes * limits.connectionsPerProcess) / limits.connections],
    ['processors of one database server', plan.databaseCores / limits.databaseCores],
    ['size of the database', plan.databaseBytes / limits.databaseBytes],
  ];
  const beyond = used.filter(([, share]) => share > 1).map(([what, share]) => `${what} (${share.toFixed(1)} ×)`);
  return beyond.length > 0 ? beyond.join(', ') : 'nothing';
}
